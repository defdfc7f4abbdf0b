//! The same questions asked of tantivy: one merged segment in memory, text terms and facet values as
//! indexed strings, a terms aggregation for each facet, and a second pass for each group with a
//! selection, so that its counts leave that selection out. Places are expanded when documents are
//! added, so that a filter is one term.

use std::collections::HashMap;
use std::ops::Bound;

use snapshot::facet::{FACETS, Facet};
use snapshot::page::{Dated, Site};
use snapshot::query::{FacetValue, Query};
use snapshot::record::Directory;
use snapshot::search::{FACET_VALUES_MAX, FacetCounts, SearchResult, document_order, searchable_texts};
use snapshot::stem::stems;
use snapshot::text::{tokens, words_of};
use snapshot::time::{Day, OPEN_STATES};
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::aggregation::agg_result::{AggregationResult, AggregationResults, BucketResult};
use tantivy::aggregation::{AggContextParams, AggregationCollector, Key};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, Occur, Query as Clause, RangeQuery, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, Order, Searcher, TantivyDocument, Term};

/// Room for documents in the making; one segment of 1,000,000 fits.
const WRITER_BYTES: usize = 2_000_000_000;

struct Fields {
    text: Field,
    facets: Vec<Field>,
    rank: Field,
    deadline: Field,
}

/// tantivy, filled with a directory.
pub(crate) struct Baseline {
    searcher: Searcher,
    fields: Fields,
    /// An aggregation for each facet.
    counts: HashMap<Facet, Aggregations>,
}

fn name_of(facet: Facet) -> String {
    format!("facet{}", facet as usize)
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexed = |tokenizer: &str| {
        let options = TextFieldIndexing::default().set_tokenizer(tokenizer);
        TextOptions::default().set_indexing_options(options.set_index_option(IndexRecordOption::Basic))
    };
    let fields = Fields {
        text: schema.add_text_field("text", indexed("whitespace")),
        facets: FACETS
            .iter()
            .map(|spec| schema.add_text_field(&name_of(spec.facet), indexed("raw").set_fast("raw")))
            .collect(),
        rank: schema.add_u64_field("rank", FAST),
        deadline: schema.add_i64_field("deadline", FAST | INDEXED),
    };
    (schema.build(), fields)
}

impl Baseline {
    /// Fills an index with the programs of a directory.
    pub(crate) fn new(directory: &Directory, site: &Site, dated: &Dated) -> Self {
        let (schema, fields) = schema();
        let index = Index::create_in_ram(schema);
        let mut writer: IndexWriter =
            index.writer_with_num_threads(1, WRITER_BYTES).expect("the memory is there");
        let order = document_order(directory, dated.day());
        for (doc, program) in order.into_iter().enumerate() {
            let mut document = TantivyDocument::default();
            let words: Vec<String> = searchable_texts(directory, program)
                .iter()
                .flat_map(|(_, text)| {
                    let mut words = Vec::new();
                    tokens(text, |token, _| words.push(stems(token)[0].to_string()));
                    words
                })
                .collect();
            document.add_text(fields.text, words.join(" "));
            add_values(&mut document, &fields, site, dated, doc as u32);
            document.add_u64(fields.rank, doc as u64);
            if let Some(day) = dated.today.next_deadline[doc].known() {
                document.add_i64(fields.deadline, i64::from(day.0));
            }
            writer.add_document(document).expect("memory can be written");
        }
        writer.commit().expect("memory can be written");
        let segments = index.searchable_segment_ids().expect("memory can be read");
        if segments.len() > 1 {
            writer.merge(&segments).wait().expect("memory can be written");
        }
        let searcher = index.reader().expect("memory can be read").searcher();
        let counts = FACETS.iter().map(|spec| (spec.facet, aggregations(&[spec.facet]))).collect();
        Self { searcher, fields, counts }
    }

    /// Answers a question.
    pub(crate) fn search(&self, site: &Site, query: &Query) -> SearchResult {
        let mut groups: Vec<Facet> = query.selected.iter().map(|(facet, _)| facet.group()).collect();
        groups.dedup();
        let everything = self.clause(site, query, None);
        let (own, free): (Vec<Facet>, Vec<Facet>) =
            FACETS.iter().map(|spec| spec.facet).partition(|facet| groups.contains(&facet.group()));
        let rows = TopDocs::with_limit(query.page.limit as usize)
            .and_offset(query.page.offset as usize)
            .order_by_u64_field("rank", Order::Asc);
        let (total, rows, facets) = if !query.no_facets {
            let collectors = (Count, rows, self.collector(&free));
            let (total, rows, counted) =
                self.searcher.search(&*everything, &collectors).expect("the index is in memory");
            let mut facets = self.facets(site, &free, counted);
            for facet in own {
                let clause = self.clause(site, query, Some(facet.group()));
                let counted = self.searcher.search(&*clause, &self.collector(&[facet]));
                facets.extend(self.facets(site, &[facet], counted.expect("the index is in memory")));
            }
            facets.sort_by_key(|counts| counts.facet);
            (total, rows, Some(facets))
        } else {
            let (total, rows) =
                self.searcher.search(&*everything, &(Count, rows)).expect("the index is in memory");
            (total, rows, None)
        };
        let docs = rows.into_iter().filter_map(|(rank, _)| rank).map(|rank| rank as u32).collect();
        SearchResult { total, docs, facets, work: 0 }
    }

    fn collector(&self, facets: &[Facet]) -> AggregationCollector {
        let all = match facets {
            [facet] => self.counts[facet].clone(),
            facets => aggregations(facets),
        };
        AggregationCollector::from_aggs(all, AggContextParams::default())
    }

    /// What must be there, leaving out the selected of one group.
    fn clause(&self, site: &Site, query: &Query, without: Option<Facet>) -> Box<dyn Clause> {
        let must = |clause| (Occur::Must, clause);
        let term = |field, text: &str| -> Box<dyn Clause> {
            Box::new(TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::Basic))
        };
        let mut parts: Vec<(Occur, Box<dyn Clause>)> = words_of(query.text.as_deref().unwrap_or_default())
            .iter()
            .map(|word| must(term(self.fields.text, &stems(word)[0])))
            .collect();
        for group in FACETS.iter().map(|spec| spec.facet).filter(|facet| facet.group() == *facet) {
            let selected = query.selected.iter().filter(|(facet, _)| facet.group() == group);
            let any: Vec<_> = selected
                .map(|(facet, pick)| {
                    let text = site.index.value_text(pick);
                    (Occur::Should, term(self.fields.facets[*facet as usize], text))
                })
                .collect();
            if !any.is_empty() && Some(group) != without {
                parts.push(must(Box::new(BooleanQuery::new(any))));
            }
        }
        let bound = |day: Option<Day>| match day {
            Some(day) => Bound::Included(Term::from_field_i64(self.fields.deadline, i64::from(day.0))),
            None => Bound::Unbounded,
        };
        if query.deadline_from.is_some() || query.deadline_to.is_some() {
            parts.push(must(Box::new(RangeQuery::new(bound(query.deadline_from), bound(query.deadline_to)))));
        }
        if parts.is_empty() { Box::new(AllQuery) } else { Box::new(BooleanQuery::new(parts)) }
    }

    fn facets(&self, site: &Site, facets: &[Facet], counted: AggregationResults) -> Vec<FacetCounts> {
        let mut results = counted.0;
        let counts = facets.iter().map(|facet| {
            let items = match results.remove(&name_of(*facet)) {
                Some(AggregationResult::BucketResult(BucketResult::Terms { buckets, .. })) => buckets
                    .into_iter()
                    .filter_map(|bucket| match bucket.key {
                        Key::Str(text) => {
                            let value = site.index.values.find(*facet, &text)?;
                            Some((FacetValue::Value(value), bucket.doc_count as u32))
                        }
                        _ => None,
                    })
                    .collect(),
                _ => Vec::new(),
            };
            FacetCounts { facet: *facet, items }
        });
        counts.collect()
    }
}

fn aggregations(facets: &[Facet]) -> Aggregations {
    let of = |facet: &Facet| {
        let name = name_of(*facet);
        let terms = serde_json::json!({
            "terms": {"field": name, "size": FACET_VALUES_MAX, "segment_size": 10_000}
        });
        (name, terms)
    };
    serde_json::from_value(facets.iter().map(of).collect()).expect("the request is well formed")
}

fn add_values(document: &mut TantivyDocument, fields: &Fields, site: &Site, dated: &Dated, doc: u32) {
    let values = &site.index.values;
    for ordinal in values.of_docs().get(doc) {
        let ordinal = usize::from(*ordinal);
        let field = fields.facets[values.facet_of(ordinal as u32) as usize];
        let members = values.set(ordinal);
        match members.is_empty() {
            true => document.add_text(field, values.text(ordinal as u32)),
            false => members.iter().for_each(|member| document.add_text(field, values.text(*member))),
        }
    }
    let states = dated.today.states(doc);
    for (_, state) in OPEN_STATES.iter().enumerate().filter(|(state, _)| states >> state & 1 == 1) {
        document.add_text(fields.facets[Facet::OpenStates as usize], state);
    }
}
