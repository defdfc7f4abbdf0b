//! The downloads and the interfaces as a catalogue: DCAT 3, with the mandatory properties of DCAT-AP 3 and those
//! that harvesters require.

use serde_json::{Value, json};
use snapshot::record::Locale;

use super::Download;
use super::describe::LICENSE;
use crate::pages::Pages;

/// Languages as entries of the European authority table, which catalogues share.
const LANGUAGES: [&str; 2] = [
    "http://publications.europa.eu/resource/authority/language/ENG",
    "http://publications.europa.eu/resource/authority/language/SPA",
];

impl Pages<'_> {
    /// <https://www.w3.org/TR/vocab-dcat-3/>
    pub(crate) fn dcat(&self) -> Value {
        self.described(json!({
            "@context": {
                "dcat": "http://www.w3.org/ns/dcat#",
                "dcterms": "http://purl.org/dc/terms/",
                "foaf": "http://xmlns.com/foaf/0.1/",
                "spdx": "http://spdx.org/rdf/terms#",
                "xsd": "http://www.w3.org/2001/XMLSchema#",
            },
            "@id": self.download_address("catalog.jsonld"),
            "@type": "dcat:Catalog",
            "foaf:homepage": { "@id": format!("{}/", self.base_url()) },
            "dcat:service": self.services(),
            "dcat:dataset": self.described(json!({
                "@id": self.dataset_id(),
                "@type": "dcat:Dataset",
                "dcterms:identifier": self.directory.dataset.name,
                "dcat:landingPage": { "@id": self.data_page() },
                "dcat:distribution": self.downloads.iter().map(|it| self.distribution(it)).collect::<Vec<_>>(),
            })),
        }))
    }

    /// Adds the properties that the catalogue and its dataset have in common.
    fn described(&self, mut resource: Value) -> Value {
        let language =
            |it: &Locale| json!({ "@id": LANGUAGES[*it as usize], "@type": "dcterms:LinguisticSystem" });
        resource["dcterms:title"] = json!(self.directory.dataset.title);
        resource["dcterms:description"] = json!(self.local(self.main_locale()).word("about_1"));
        // Named as the dataset: the publisher of the directory has no other name.
        resource["dcterms:publisher"] = json!({
            "@id": format!("{}/#publisher", self.base_url()),
            "@type": "foaf:Agent",
            "foaf:name": self.directory.dataset.title,
        });
        resource["dcterms:license"] = license();
        resource["dcterms:modified"] =
            json!({ "@value": self.directory.dataset.published_at, "@type": "xsd:dateTime" });
        resource["dcterms:language"] = self.directory.dataset.locales.iter().map(language).collect();
        resource
    }

    fn dataset_id(&self) -> String {
        format!("{}#dataset", self.data_page())
    }

    /// The interfaces to the same data.
    fn services(&self) -> Value {
        let service = |path: &str, title: &str, description: &str| {
            json!({
                "@id": format!("{}{path}#service", self.base_url()),
                "@type": "dcat:DataService",
                "dcterms:title": format!("{}: {title}", self.directory.dataset.title),
                "dcterms:license": license(),
                "dcat:endpointURL": { "@id": format!("{}{path}", self.base_url()) },
                "dcat:endpointDescription": { "@id": format!("{}{description}", self.base_url()) },
                "dcat:servesDataset": { "@id": self.dataset_id() },
            })
        };
        json!([
            service("/api/v1", "REST", "/api/v1/openapi.json"),
            service("/mcp", "MCP", "/mcp/server-card"),
        ])
    }

    fn distribution(&self, it: &Download) -> Value {
        let kind = format!("https://www.iana.org/assignments/media-types/{}", it.media_type);
        json!({
            "@id": self.download_address(&it.name),
            "@type": "dcat:Distribution",
            "dcterms:title": it.name,
            "dcterms:license": license(),
            "dcat:accessURL": { "@id": self.data_page() },
            "dcat:downloadURL": { "@id": self.download_address(&it.name) },
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
