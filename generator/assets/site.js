// Swaps search results in place. Without it every control works as a plain form or link.
(() => {
  const form = document.querySelector("form[role=search]");
  if (!form || !window.fetch || !document.querySelector("#results")) return;
  const $ = (id, from = document) => from.querySelector("#" + id);
  let asked = null, timer = 0;
  const address = () => {
    const data = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...data]) if (!value || (name === "sort" && value === "deadline")) data.delete(name, value);
    const query = data.toString();
    return form.action.split("?")[0] + (query ? "?" + query : "");
  };
  const counts = page => {
    for (const box of form.querySelectorAll("aside input[type=checkbox]")) {
      const now = page.querySelector(`aside input[name="${box.name}"][value="${CSS.escape(box.value)}"]`);
      const count = box.parentNode.querySelector("i");
      if (count) count.textContent = now ? now.parentNode.querySelector("i").textContent : "0";
    }
  };
  const restore = page => {
    for (const field of form.elements) {
      if (!field.name) continue;
      const box = field.type === "checkbox";
      const same = page.querySelector(`form[role=search] [name="${field.name}"]` + (box ? `[value="${CSS.escape(field.value)}"]` : ""));
      if (box) field.checked = !!same && same.checked;
      else field.value = same ? same.value : "";
    }
  };
  const show = async (url, { push = true, back = false, top = false } = {}) => {
    asked && asked.abort();
    const mine = asked = new AbortController();
    const results = $("results");
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, { signal: mine.signal });
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== asked) return;
      if (back) $("filters").replaceWith(document.importNode($("filters", page), true));
      if (back) restore(page); else counts(page);
      for (const id of ["results", "other", "applied"]) {
        const next = $(id, page), old = $(id);
        if (next && old) old.replaceWith(document.importNode(next, true));
      }
      document.title = page.title;
      if (push) history.pushState(null, "", url);
      $("said").textContent = $("count").textContent;
      if (top) $("found").focus();
    } catch (error) {
      if (error.name !== "AbortError") location.assign(url);
    }
  };
  const soon = wait => { clearTimeout(timer); timer = setTimeout(() => show(address()), wait); };
  form.addEventListener("change", event => { if (event.target.type !== "search") soon(120); });
  form.addEventListener("input", event => { if (event.target.type === "search") soon(250); });
  form.addEventListener("submit", event => { event.preventDefault(); clearTimeout(timer); show(address()); });
  form.addEventListener("click", event => {
    const link = event.target.closest("#results .pages a, #results .chips a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    show(link.href, { back: true, top: true });
  });
  addEventListener("popstate", () => show(location.href, { push: false, back: true }));
  addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input,select,textarea")) return;
    event.preventDefault();
    form.elements.q.focus();
  });
})();
