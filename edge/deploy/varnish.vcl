# A cache in front of the edge (Varnish 6 or later). The edge decides what is cached, and for how long.
# Varnish keeps answers in gzip and unpacks them for clients that do not take it. A redirect repeats the address, of up
# to 8 KB: start varnishd with -p http_resp_hdr_len=16k.
# The edge must trust this proxy and send surrogate keys:
#   --trusted-proxy 127.0.0.1/32 --surrogate-keys xkey
# After a publication, from a machine that `purgers` names: purge.sh varnish http://127.0.0.1:6081
vcl 4.1;

import directors;
import std;

backend edge {
    .host = "127.0.0.1";
    .port = "8080";
}

sub vcl_init {
    # One line for each edge, in both.
    new edges = directors.round_robin();
    edges.add_backend(edge);
    # All calls of a client to /mcp reach one edge, which counts them.
    new tools = directors.shard();
    tools.add_backend(edge);
    tools.reconfigure();
}

# Clients that may purge. Proxies between them and Varnish must not be listed.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    # Nothing but the address and the coding changes an answer.
    unset req.http.Cookie;
    unset req.http.Authorization;
    set req.http.Host = regsub(regsub(std.tolower(req.http.Host), ":[0-9]*$", ""), "\.$", "");
    set req.backend_hint = edges.backend();
    # Parameters of trackers change no answer. Others do: unknown names are reported.
    set req.url = regsuball(req.url, "([?&])(?:(?:utm_[^=&]*|fbclid|gclid|_[^=&]*)(?:=[^&]*)?(?:&|$))+", "\1");
    # Parameters of a record change its language only, of the export its format, of suggestions their text, of pages and
    # other files nothing; of two the first counts (`??`). What changes nothing is taken away, as No-Vary-Search says. Names
    # that are written otherwise are left to the edge.
    if (req.url ~ "^/api/v1/programs/[^?]*\?[^%]*$") {
        set req.url = regsub(req.url, "^([^?]*)\?(?:(?:.*?&)??(locale=(?:en|es))(?:&.*)?|(?:.*?&)??(lang=(?:en|es))(?:&.*)?|.*)$", "\1?\2\3");
    } elsif (req.url ~ "^/api/v1/exports/latest\?[^%]*$") {
        set req.url = regsub(req.url, "\?(?:(?:.*?&)??(format=[^&]+).*|.*)$", "?\1");
    } elsif (req.url ~ "^/(?:es/)?suggest\?[^=&%]*(?:=[^&]*)?(?:&[^=&%]*(?:=[^&]*)?)*$") {
        set req.url = regsub(req.url, "\?(?:(?:.*?&)??(q(?:=[^&]*)?)(?:&.*)?|.*)$", "?\1");
    } elsif (req.url !~ "^/api/v1/(?:search|programs|organizations|cycles|awards|recipients|details|facets/[^?]*|programs/[^?]*|exports/latest)\?"
        && req.url !~ "^/(?:es/)?(?:programs|programs\.(?:atom|ics|csv|json)|recipients|suggest)\?"
        && req.url !~ "^/changes\?") {
        set req.url = regsub(req.url, "\?.*$", "");
    }
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
        # Of an IPv6 address the first half counts.
        set req.backend_hint = tools.backend(by=KEY, key=tools.key(regsub(client.identity, "^((?:[0-9a-f]+:){1,4}).*$", "\1")));
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
