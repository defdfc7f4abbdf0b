//! The downloads and the interfaces as a catalogue: DCAT 3, with the mandatory properties of DCAT-AP 3 and those
//! that harvesters require.

use serde_json::{Value, json};
use snapshot::record::Locale;

use super::describe::{Describer, LICENSE};
use super::{Download, FOLDER};

impl Describer<'_> {
    /// <https://www.w3.org/TR/vocab-dcat-3/>
    pub(super) fn catalog(&self) -> Value {
        self.described(json!({
            "@context": {
                "dcat": "http://www.w3.org/ns/dcat#",
                "dcterms": "http://purl.org/dc/terms/",
                "foaf": "http://xmlns.com/foaf/0.1/",
                "spdx": "http://spdx.org/rdf/terms#",
                "xsd": "http://www.w3.org/2001/XMLSchema#",
            },
            "@id": self.address("catalog.jsonld"),
            "@type": "dcat:Catalog",
            "foaf:homepage": { "@id": format!("{}/", self.base_url) },
            "dcat:service": self.services(),
            "dcat:dataset": self.described(json!({
                "@id": self.dataset_id(),
                "@type": "dcat:Dataset",
                "dcterms:identifier": self.dataset.name,
                "dcat:landingPage": { "@id": self.page() },
                "dcat:distribution": self.downloads.iter().map(|it| self.distribution(it)).collect::<Vec<_>>(),
            })),
        }))
    }

    /// Adds the properties that the catalogue and its dataset have in common.
    fn described(&self, mut resource: Value) -> Value {
        let language = |it: &Locale| json!({ "@id": language(*it), "@type": "dcterms:LinguisticSystem" });
        resource["dcterms:title"] = json!(self.dataset.title);
        resource["dcterms:description"] = json!(self.about);
        // Named as the dataset: the publisher of the directory has no other name.
        resource["dcterms:publisher"] = json!({
            "@id": format!("{}/#publisher", self.base_url),
            "@type": "foaf:Agent",
            "foaf:name": self.dataset.title,
        });
        resource["dcterms:license"] = license();
        resource["dcterms:modified"] =
            json!({ "@value": self.dataset.published_at, "@type": "xsd:dateTime" });
        resource["dcterms:language"] = self.dataset.locales.iter().map(language).collect();
        resource
    }

    fn page(&self) -> String {
        format!("{}{FOLDER}", self.base_url)
    }

    fn dataset_id(&self) -> String {
        format!("{}#dataset", self.page())
    }

    /// The interfaces to the same data.
    fn services(&self) -> Value {
        let service = |path: &str, title: &str, description: &str| {
            json!({
                "@id": format!("{}{path}#service", self.base_url),
                "@type": "dcat:DataService",
                "dcterms:title": format!("{}: {title}", self.dataset.title),
                "dcterms:license": license(),
                "dcat:endpointURL": { "@id": format!("{}{path}", self.base_url) },
                "dcat:endpointDescription": { "@id": format!("{}{description}", self.base_url) },
                "dcat:servesDataset": { "@id": self.dataset_id() },
            })
        };
        json!([
            service("/api/v1", "REST", "/api/v1/openapi.json"),
            service("/mcp", "MCP", "/mcp/server-card"),
        ])
    }

    fn distribution(&self, it: &Download) -> Value {
        let kind = format!("https://www.iana.org/assignments/media-types/{}", it.format.media_type());
        json!({
            "@id": self.address(&it.name()),
            "@type": "dcat:Distribution",
            "dcterms:title": it.name(),
            "dcterms:license": license(),
            "dcat:accessURL": { "@id": self.page() },
            "dcat:downloadURL": { "@id": self.address(&it.name()) },
            "dcat:mediaType": { "@id": kind },
            "dcat:byteSize": { "@value": it.body.len.to_string(), "@type": "xsd:nonNegativeInteger" },
            "spdx:checksum": {
                "@type": "spdx:Checksum",
                "spdx:algorithm": { "@id": "spdx:checksumAlgorithm_sha256" },
                "spdx:checksumValue": { "@value": it.body.sha256, "@type": "xsd:hexBinary" },
            },
        })
    }
}

fn license() -> Value {
    json!({ "@id": LICENSE, "@type": "dcterms:LicenseDocument" })
}

/// A language as an entry of the European authority table, which catalogues share.
const fn language(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "http://publications.europa.eu/resource/authority/language/ENG",
        Locale::Es => "http://publications.europa.eu/resource/authority/language/SPA",
    }
}
