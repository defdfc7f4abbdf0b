# A cache in front of the edge (Varnish 6 or later). The edge decides what is cached, and for how long.
# Varnish keeps answers in gzip and unpacks them for clients that do not take it.
# The edge must trust this proxy and send surrogate keys:
#   --trusted-proxy 127.0.0.1/32 --surrogate-keys xkey
# After a publication, from a machine that `purgers` names: purge.sh varnish http://127.0.0.1:6081
vcl 4.1;

backend edge {
    .host = "127.0.0.1";
    .port = "8080";
}

# Clients that may purge. Proxies between them and Varnish must not be listed.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    # Parameters of trackers change no answer. Others do: unknown names are reported.
    set req.url = regsuball(req.url, "([?&])(?:(?:utm_[^=&]*|fbclid|gclid|_[^=&]*)(?:=[^&]*)?(?:&|$))+", "\1");
    set req.url = regsub(req.url, "[?&]$", "");
    if (req.method == "PURGE" || req.method == "BAN") {
        if (client.ip !~ purgers) {
            return (synth(403, "Not from here"));
        }
        if (req.method == "PURGE") {
            return (purge);
        }
        # A tag of the purge list: its letters, and nothing that says more than itself.
        if (req.http.X-Tag !~ "^[A-Za-z0-9/._~-]+$") {
            return (synth(400, "X-Tag names one tag"));
        }
        ban("obj.http.xkey ~ (^|\s)" + req.http.X-Tag + "(\s|$)");
        return (synth(200, "Banned"));
    }
    if (req.url ~ "^/mcp") {
        return (pass);
    }
}

sub vcl_deliver {
    # For caches, not for those who read.
    unset resp.http.xkey;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
