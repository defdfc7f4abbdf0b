//! Place codes and the country lists programs carry.

use super::rng::{Rng, Zipf};

/// Countries in alphabetical order of their codes: ISO 3166-1 and Kosovo.
pub const COUNTRIES: &str = "\
AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT \
BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG \
EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN \
HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI \
LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC \
NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA \
SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR \
TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/// The countries most programs name, most frequent first.
const POPULAR: &str = "US GB CA DE ES MX CO IN FR BR CL AR NG KE PE ZA AU IT NL JP";

/// M49 areas, from the most to the least frequent.
const REGIONS: [&str; 12] =
    ["419", "002", "150", "001", "142", "202", "019", "029", "013", "035", "011", "151"];
/// How often each of [`REGIONS`] is drawn.
const REGION_WEIGHTS: [usize; 12] = [24, 18, 14, 8, 8, 6, 6, 4, 4, 3, 3, 2];

/// ISO 3166-2 subdivisions that residence rules name.
const SUBDIVISIONS: &str = "US-CA US-NY US-TX US-PA US-FL US-IL US-OH US-MA US-WA US-GA US-NC US-MI US-NJ \
    US-VA US-CO US-MN US-OR US-AZ US-MD US-WI CA-ON CA-QC CA-BC CA-AB MX-CMX MX-JAL MX-NLE BR-SP BR-RJ BR-BA \
    ES-CT ES-MD ES-AN GB-SCT GB-WLS GB-NIR AR-C CO-DC CL-RM AU-NSW";

/// How many fixed country lists ("the member states") many programs share.
const SHARED_LISTS: usize = 12;

/// Places and how often they are named.
pub struct Places {
    countries: Vec<&'static str>,
    by_popularity: Vec<&'static str>,
    popularity: Zipf,
    subdivisions: Vec<&'static str>,
    subdivision_ranks: Zipf,
    shared: Vec<Vec<&'static str>>,
}

impl Places {
    /// The places; the same for every seed.
    #[expect(clippy::new_without_default, reason = "a table, not a default")]
    pub fn new() -> Self {
        let countries: Vec<&str> = COUNTRIES.split(' ').collect();
        let subdivisions: Vec<&str> = SUBDIVISIONS.split_whitespace().collect();
        let mut by_popularity: Vec<&str> = POPULAR.split(' ').collect();
        let rest: Vec<&str> =
            countries.iter().copied().filter(|code| !by_popularity.contains(code)).collect();
        by_popularity.extend(rest);
        let mut rng = Rng::new(&[countries.len() as u64]);
        let shared = (0..SHARED_LISTS).map(|n| some_of(&countries, &mut rng, 10 + 7 * n)).collect();
        Self {
            popularity: Zipf::new(by_popularity.len()),
            subdivision_ranks: Zipf::new(subdivisions.len()),
            countries,
            by_popularity,
            subdivisions,
            shared,
        }
    }

    /// One country.
    pub fn country(&self, rng: &mut Rng) -> &'static str {
        self.by_popularity[self.popularity.draw(rng)]
    }

    /// One M49 area.
    pub fn region(&self, rng: &mut Rng) -> &'static str {
        REGIONS[rng.weighted(&REGION_WEIGHTS)]
    }

    /// One subdivision of a country.
    pub fn subdivision(&self, rng: &mut Rng) -> &'static str {
        self.subdivisions[self.subdivision_ranks.draw(rng)]
    }

    /// A list as the measured profile has it: 50 % 1 to 3 places, 25 % 5 to 90 countries, 10 % all
    /// countries, 15 % none. Sorted, without repeats.
    pub fn list(&self, rng: &mut Rng) -> Vec<&'static str> {
        match rng.weighted(&[50, 25, 10, 15]) {
            0 => self.few(rng),
            1 if rng.percent(40) => self.shared[rng.below(SHARED_LISTS)].clone(),
            1 => {
                let count = rng.between(5, 90) as usize;
                some_of(&self.countries, rng, count)
            }
            2 => self.countries.clone(),
            _ => Vec::new(),
        }
    }

    /// One to three different places, now and then an area instead of a country.
    pub fn few(&self, rng: &mut Rng) -> Vec<&'static str> {
        let count = rng.between(1, 3) as usize;
        let mut places: Vec<&str> = self
            .popularity
            .draw_distinct(rng, count)
            .into_iter()
            .map(|rank| self.by_popularity[rank])
            .collect();
        if rng.percent(4) {
            places[0] = self.region(rng);
        }
        places.sort_unstable();
        places
    }
}

/// `count` of the codes, each choice equally likely, in their order.
fn some_of(codes: &[&'static str], rng: &mut Rng, count: usize) -> Vec<&'static str> {
    let mut missing = count;
    let mut chosen = Vec::with_capacity(count);
    for (position, code) in codes.iter().enumerate() {
        if rng.below(codes.len() - position) < missing {
            missing -= 1;
            chosen.push(*code);
        }
    }
    chosen
}
