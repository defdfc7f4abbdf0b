"""Calls every operation with the client that openapi-python-client made. An answer is read into the client's
types, which refuse what the contract does not say, and written back: nothing may be lost or changed."""

import importlib
import json
import pkgutil
import sys
from datetime import datetime

from directory import Client, api
from directory.models import ExportProgramsFormat, FacetName, InvalidQueryError, ListRecipientsKind, NotFoundError


def operations():
    """The function of every operation, by name."""
    found = {}
    for tag in pkgutil.iter_modules(api.__path__):
        package = importlib.import_module(f"{api.__name__}.{tag.name}")
        for module in pkgutil.iter_modules(package.__path__):
            found[module.name] = importlib.import_module(f"{package.__name__}.{module.name}").sync_detailed
    return found


def instant(text):
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text


def same(one, other):
    """Equal as JSON, where two spellings of an instant are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return one == other or instant(one) == instant(other)
    return one == other


class Directory:
    """The client, and which of its operations were called."""

    def __init__(self, url):
        self.client = Client(base_url=url, raise_on_unexpected_status=True)
        self.left = operations()
        self.all = dict(self.left)

    def call(self, name, *path, status=200, **query):
        """The answer as the client's types have it."""
        response = self.response(name, *path, status=status, **query)
        assert same(response.parsed.to_dict(), json.loads(response.content)), name
        return response.parsed

    def text(self, name, **query):
        """The answer, where it is no JSON."""
        response = self.response(name, status=200, **query)
        assert response.parsed == response.content.decode(), name
        return response.parsed

    def response(self, name, *path, status, **query):
        self.left.pop(name, None)
        response = self.all[name](*path, client=self.client, **query)
        assert response.status_code == status, (name, response.status_code)
        return response


def main(url):
    directory = Directory(url)
    call = directory.call

    # 1e16 is where Python begins to print exponents.
    rows = call("search_opportunities", funding_max=1e16, limit=5, facets=True)
    assert rows.data and not rows.meta.invalid, rows.meta.invalid
    second = call("list_programs", limit=2, page=2)
    assert (second.meta.page, second.meta.offset) == (2, 2)
    program = rows.data[0]
    assert call("get_program", program.slug).data.program.id == program.id
    gone = call("get_program", "no-such-program", status=404)
    assert isinstance(gone, NotFoundError)

    values = call("list_facet_options", FacetName.TYPES, limit=3)
    assert values.data and values.data[0].count > 0
    fault = call("list_facet_options", FacetName.TYPES, limit=0, status=400)
    assert isinstance(fault, InvalidQueryError) and fault.error.details[0].parameter == "limit"

    organization = call("list_organizations", limit=3).data[0]
    assert call("get_organization", organization.slug).data.organization.id == organization.id
    seasons = call("list_cycles", upcoming=False, limit=5)
    assert seasons.data and not seasons.meta.invalid
    assert call("list_awards", limit=5).data
    offered = call("list_programs", organization=[program.organization.slug, "no-such-body"])
    assert offered.data and offered.meta.invalid == ["organization=no-such-body"], offered.meta
    recipient = call("list_recipients", kind=ListRecipientsKind.ORGANIZATION, limit=3)
    assert not recipient.meta.invalid
    recipient = call("list_recipients", limit=1).data[0]
    assert call("get_recipient", recipient.slug).data.recipient.id == recipient.id

    many = call("get_details", program=[program.slug], recipient=["no-such-recipient", recipient.slug])
    assert [len(many.data), many.meta.missing] == [2, ["recipient=no-such-recipient"]], many.meta
    assert directory.text("export_programs_csv").startswith("id,slug,name,")
    assert len(directory.text("list_changes", limit=7).splitlines()) == 7
    assert len(call("get_changes", limit=7).data) == 7
    assert directory.text("get_changes_feed").startswith("<?xml")
    assert call("export_programs", format_=ExportProgramsFormat.JSON).data
    assert call("get_open_api_document").openapi.startswith("3.1.")
    assert not directory.left, f"never called: {sorted(directory.left)}"


main(sys.argv[1])
