// Runs the calls of the API reference where they stand: the address can be changed first.
(() => {
  const make = (name, more) => Object.assign(document.createElement(name), more);
  for (const link of document.querySelectorAll("a[data-run]")) {
    const form = make("form", { className: "ask" }), out = make("pre", { tabIndex: 0, hidden: true }), status = make("p", { className: "dim", role: "status" });
    const address = make("input", { value: link.getAttribute("href"), ariaLabel: link.textContent, spellcheck: false });
    form.append(address, make("button", { textContent: link.dataset.run, ariaLabel: `${link.dataset.run}: ${link.lastElementChild.textContent}` }));
    link.parentNode.after(form, status, out);
    form.addEventListener("submit", async event => {
      event.preventDefault();
      const url = new URL(address.value, location.origin), start = performance.now();
      // Requests go to the public paths of this directory only.
      if (url.origin !== location.origin || !/\/(api\/|changes)/.test(url.pathname)) return address.focus();
      try {
        const answer = await fetch(url), text = await answer.text();
        status.textContent = `${answer.status} \u00b7 ${Math.round(performance.now() - start)} ms \u00b7 ${new Blob([text]).size} B`;
        const json = /json/.test(answer.headers.get("content-type"));
        const shown = json ? JSON.stringify(JSON.parse(text), null, 2) : text;
        out.textContent = shown.slice(0, 20000) + (shown.length > 20000 ? "\n\u2026" : "");
      } catch (error) {
        status.textContent = String(error);
        out.textContent = "";
      }
      out.hidden = !out.textContent;
    });
  }
})();
