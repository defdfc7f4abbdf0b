// The shortlist: records that this browser keeps, or those that the address names, side by side. What is shown
// is read from their pages, so that it is what they say today and in the page's language.
(() => {
  const list = document.querySelector("#list"), words = list.dataset;
  const make = (name, text, more) => Object.assign(document.createElement(name), { textContent: text }, more);
  // An operator's own page may be without some.
  const $ = id => document.querySelector("#" + id) ?? make("p", "");
  const named = () => decodeURIComponent(location.hash.slice(1)).split(",").filter(it => /^[a-z0-9-]+$/.test(it));
  const own = () => !named().length;
  const slugs = () => [...new Set(own() ? stars.read() : named())];
  const bare = () => location.href.split("#")[0];
  const page = slug => `${words.programs}/${slug}`;
  let run = 0, shown = [];

  const read = async slug => {
    const answer = await fetch(page(slug)).catch(() => null);
    if (!answer?.ok) return { slug, name: make("span", slug), texts: new Map([[words.gone, [make("p", words.goneText)]]]) };
    const it = new DOMParser().parseFromString(await answer.text(), "text/html");
    const texts = new Map();
    for (const row of it.querySelectorAll(".key dl > div")) {
      texts.set(row.querySelector("dt").textContent, [...row.querySelectorAll("dd")].map(dd => {
        const cell = document.importNode(dd, true), part = make("div", "");
        part.className = cell.className;
        part.append(...cell.childNodes);
        return part;
      }));
    }
    const official = it.querySelector("a.go");
    if (official) texts.set(words.source, [make("a", new URL(official.href).host, { href: official.href, rel: "external nofollow" })]);
    const h1 = it.querySelector("h1"), provider = it.querySelector(".kicker a");
    return { slug, name: make("a", h1.textContent, { href: page(slug), lang: h1.lang, dir: "auto" }), provider: provider?.textContent ?? "", texts, dated: !!it.querySelector(".dates") };
  };
  const labels = () => [...new Set(shown.flatMap(it => [...it.texts.keys()]))];
  const table = () => {
    const table = make("table", ""), head = table.insertRow();
    head.append(make("td", ""));
    for (const it of shown) {
      const cell = make("th", "", { scope: "col" });
      cell.append(it.name, make("p", it.provider, { className: "dim", dir: "auto" }));
      if (own()) cell.append(make("button", words.remove, { type: "button", className: "drop", value: it.slug, ariaLabel: `${words.remove}: ${it.name.textContent}` }));
      head.append(cell);
    }
    for (const label of labels()) {
      const row = table.insertRow();
      row.append(make("th", label, { scope: "row" }));
      for (const it of shown) row.insertCell().append(...(it.texts.get(label) ?? [words.none]));
    }
    return table;
  };
  const show = async () => {
    const mine = ++run, all = slugs();
    list.setAttribute("aria-busy", "true");
    // Each is a page to fetch, and an address can name thousands.
    const records = await Promise.all(all.slice(0, words.most).map(read));
    if (mine !== run) return;
    shown = records;
    list.removeAttribute("aria-busy");
    list.replaceChildren(shown.length ? table() : make("p", words.empty));
    $("tools").hidden = !shown.length;
    $("shared").hidden = own() || all.every(it => stars.read().includes(it));
    $("count").textContent = all.length;
    $("rest").hidden = all.length === shown.length;
    $("ics").hidden = !shown.some(it => it.dated);
    $("undated").hidden = !$("ics").hidden;
    $("board").hidden = false;
  };
  const save = (name, type, text) => {
    const link = make("a", "", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const flat = text => text.replace(/\s+/g, " ").trim();
  // The text of a cell without the words that only unfold the rest.
  const textOf = part => {
    const whole = part.cloneNode(true);
    whole.querySelectorAll("summary").forEach(it => it.replaceWith(", "));
    return whole.textContent.replace(/\s+,/g, ",");
  };
  const cell = text => `"${flat(text).replace(/^[=+\-@]/, "'$&").replace(/"/g, '""')}"`;
  const csv = () => {
    const columns = labels();
    const row = it => [it.name.textContent, it.provider ?? "", location.origin + page(it.slug), ...columns.map(label => (it.texts.get(label) ?? []).map(textOf).join("; "))];
    return "\ufeff" + [[words.name, words.provider, "URL", ...columns], ...shown.map(row)].map(cells => cells.map(cell).join(",") + "\r\n").join("");
  };
  const calendar = async () => {
    const texts = await Promise.all(shown.filter(it => it.dated).map(async it => {
      const answer = await fetch(`${page(it.slug)}.ics`);
      return answer.ok ? answer.text() : Promise.reject();
    }));
    const events = texts.flatMap(text => text.match(/BEGIN:VEVENT[^]*?END:VEVENT\r\n/g) ?? []);
    return texts[0].split(/BEGIN:VEVENT|END:VCALENDAR/)[0] + events.join("") + "END:VCALENDAR\r\n";
  };
  $("csv").onclick = () => save("shortlist.csv", "text/csv", csv());
  $("ics").onclick = () => calendar().then(text => save("shortlist.ics", "text/calendar", text), () => alert(words.failed));
  $("copy").onclick = async ({ target }) => {
    const link = bare() + "#" + slugs().join(",");
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    if (copied) target.textContent = target.dataset.done;
    else prompt(target.textContent, link);
  };
  $("take").onclick = () => {
    stars.write([...new Set([...stars.read(), ...named()])]);
    location.hash = "";
  };
  list.addEventListener("click", event => {
    if (!event.target.matches(".drop")) return;
    stars.write(stars.read().filter(it => it !== event.target.value));
    show().then(() => $("found").focus());
  });
  addEventListener("hashchange", show);
  addEventListener("storage", show);
  show();
})();
