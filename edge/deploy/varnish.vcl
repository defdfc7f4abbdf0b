# A cache in front of the edge (Varnish 6 or later). What may be kept, and for how long, is what the edge says.
# Varnish keeps answers in gzip and unpacks them for clients that do not take it.
# Tell the edge whose word about clients to take: --trusted-proxy 127.0.0.1/32
vcl 4.1;

backend edge {
    .host = "127.0.0.1";
    .port = "8080";
}

sub vcl_recv {
    # Parameters of trackers change no answer. Others do: unknown names are reported.
    set req.url = regsuball(req.url, "([?&])(?:(?:utm_[^=&]*|fbclid|gclid|_[^=&]*)(?:=[^&]*)?(?:&|$))+", "\1");
    set req.url = regsub(req.url, "[?&]$", "");
    if (req.url ~ "^/mcp") {
        return (pass);
    }
}

sub vcl_deliver {
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
