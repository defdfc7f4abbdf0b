"""Calls an edge with the client that openapi-generator makes for Python, whose types are pydantic's."""

import sys

from pydantic_directory import (
    ApiClient, AwardsApi, ChangesApi, Configuration, CyclesApi, FacetsApi, OrganizationsApi, ProgramsApi, RecipientsApi, SearchApi
)
from pydantic_directory.exceptions import NotFoundException

client = ApiClient(Configuration(host=sys.argv[1]))

rows = SearchApi(client).search_opportunities(limit=5, sort="name")
assert len(rows.data) == 5 and rows.meta.total > 5, rows.meta
slug = rows.data[0].slug
assert ProgramsApi(client).get_program(slug).data.program.slug == slug
assert len(ProgramsApi(client).get_details(program=[slug]).data) == 1
assert CyclesApi(client).list_cycles(limit=3).meta.total >= 0
assert AwardsApi(client).list_awards(limit=3).data
assert FacetsApi(client).list_facet_options("types", limit=2).data
organization = OrganizationsApi(client).list_organizations(limit=1).data[0]
assert OrganizationsApi(client).get_organization(organization.slug).data.organization.id == organization.id
assert len(ChangesApi(client).get_changes(limit=7).data) == 7
offered = SearchApi(client).search_opportunities(organization=[rows.data[0].organization.slug, "no-such-body"])
assert offered.data and offered.meta.invalid == ["organization=no-such-body"], offered.meta
recipient = RecipientsApi(client).list_recipients(limit=1).data[0]
assert RecipientsApi(client).get_recipient(recipient.slug).data.recipient.id == recipient.id
try:
    ProgramsApi(client).get_program("no-such-program")
    raise SystemExit("a program that does not exist was answered")
except NotFoundException as error:
    assert error.data.error.message, error.data
