//! The codes of ISO 4217 that money is paid in: the active ones (list one of the standard, 2024), without
//! metals, testing and "no currency".

/// Sorted.
const CODES: &str = "\
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF \
CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP \
GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK \
LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR \
PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL \
THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XDR XOF \
XPF XSU XUA YER ZAR ZMW ZWG";

/// Whether a text is the code of a currency; case matters.
pub(super) fn is_code(text: &str) -> bool {
    CODES.split(' ').any(|code| code == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_currencies_are_codes() {
        for code in ["AED", "EUR", "USD", "XOF", "ZWG"] {
            assert!(is_code(code), "{code}");
        }
        for other in ["XXQ", "XTS", "usd", "EUR USD", "Euro", "€", ""] {
            assert!(!is_code(other), "{other}");
        }
        let codes: Vec<&str> = CODES.split(' ').collect();
        assert!(codes.is_sorted() && codes.iter().all(|code| code.len() == 3));
    }
}
