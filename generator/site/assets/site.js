// Swaps search results and filters in place. Without it every control works as a plain form or link.
(() => {
  const form = document.querySelector("form[role=search]");
  if (!form || !window.fetch || !document.querySelector("#results")) return;
  const $ = (id, from = document) => from.querySelector("#" + id);
  const filters = $("filters"), apply = $("apply"), failed = $("failed"), opened = new Map();
  const sheet = filters.firstElementChild, covers = () => filters.matches(":popover-open");
  const bare = url => url.split("#")[0];
  const { src } = document.currentScript;
  let request = null, timer = 0, naming = 0, shown = bare(location.href);

  const parsed = text => new DOMParser().parseFromString(text, "text/html");
  const address = submitter => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form, submitter)) {
      if (value && !query.getAll(name).includes(value)) query.append(name, value);
    }
    return form.action.split("?")[0] + (`${query}` && "?" + query);
  };
  // A group of filters is known by its id, else by its first field.
  const key = group => group.id || group.querySelector("[name]").name;
  const same = (field, from) => from.querySelector(`:not(button)[name="${field.name}"]` + (field.type === "checkbox" ? `[value="${CSS.escape(field.value)}"]` : ""));
  const restore = page => {
    for (const field of form.elements) {
      if (!field.name || field.type === "submit") continue;
      const now = same(field, $("search", page));
      if (field.type === "checkbox") field.checked = !!now && now.checked;
      else field.value = now ? now.value : "";
    }
  };
  // New groups take the place of old ones; what was open stays open, and what had the focus keeps it
  // where it stands on the screen.
  const regroup = page => {
    const at = $("facets").contains(document.activeElement) && document.activeElement;
    const top = at && at.getBoundingClientRect().top;
    const name = at && key(at.closest("details"));
    $("facets").replaceWith(document.importNode($("facets", page), true));
    $("sort").innerHTML = $("sort", page).innerHTML;
    const groups = [...$("facets").querySelectorAll("details")];
    fields();
    for (const group of groups) group.open = opened.get(key(group)) ?? group.open;
    if (!at) return;
    const group = groups.find(group => key(group) === name);
    const next = (at.name && same(at, $("facets"))) || (group && group.firstElementChild) || $("found");
    next.focus({ preventScroll: true });
    const scroller = covers() ? sheet : window;
    scroller.scrollBy(0, next.getBoundingClientRect().top - top);
  };
  // Long groups get a field that finds a value by either language's name; what it looks through is fetched
  // once, when something is typed.
  const fold = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const fields = () => {
    for (const link of $("facets").querySelectorAll("fieldset > a")) {
      const box = document.createElement("input");
      box.type = "search";
      box.ariaLabel = box.placeholder = `${form.dataset.find}: ${link.parentNode.firstElementChild.textContent}`;
      link.parentNode.firstElementChild.after(box);
    }
  };
  const find = async box => {
    const group = box.parentNode, link = group.querySelector("a");
    if (link) {
      link.remove();
      const page = parsed(await (await fetch(link.href)).text());
      const whole = [...page.querySelectorAll("#facets details")].find(it => key(it) === key(group));
      if (!box.isConnected || !whole) return;
      group.querySelectorAll("label").forEach(label => label.remove());
      group.append(...document.importNode(whole, true).querySelectorAll("label"));
    }
    for (const label of group.querySelectorAll("label")) {
      label.hidden = !fold(`${label.textContent} ${label.dataset.o} ${label.firstChild.value}`).includes(fold(box.value));
    }
  };
  // The organization field suggests the names that the page knows for what was typed.
  const suggest = async field => {
    const { value } = field;
    const answer = await fetch(`${form.action.split("?")[0]}?limit=1&organization=${encodeURIComponent(value)}`).catch(() => null);
    const page = parsed(answer?.ok ? await answer.text() : "");
    if (!$("search", page) || field.value !== value) return;
    const near = [...page.querySelectorAll("#invalid a[href*='organization=']")].map(link => link.textContent);
    const names = [...near, same(field, $("search", page)).value].filter(name => name !== value);
    $("names").replaceChildren(...names.map(name => new Option(name)));
  };
  // If Pagefind made an index of a static host's pages, its search takes the place of the form.
  const indexed = text => {
    const made = (name, more) => Object.assign(document.createElement(name), more);
    const at = end => new URL(`../pagefind/pagefind-ui.${end}`, src).href;
    const onload = () => {
      $("alone").hidden = true;
      form.replaceWith(made("div", { id: "search" }));
      new PagefindUI({ element: "#search", showImages: false, showSubResults: false }).triggerSearch(text);
    };
    document.head.append(made("link", { rel: "stylesheet", href: at("css") }), made("script", { src: at("js"), onload }));
  };
  // A static host gives the page as it lies there, whatever the query.
  const alone = (page, url) => {
    const fields = [...$("search", page).elements];
    const { search } = new URL(url, location), link = $("alone").querySelector("a");
    // `pick` is a filter and its value.
    const unheard = [...new URLSearchParams(search)].flatMap(([name, text]) => {
      const [filter, value] = name === "pick" ? text.split(/:(.*)/s) : [name, text];
      const field = fields.find(field => field.name === filter && (filter === "q" || field.value === value));
      if (filter === "q") return field.defaultValue || !/[\p{L}\p{N}]/u.test(value) ? [] : [value];
      if (!field) return value && name === "pick" ? [value.replaceAll("-", " ")] : [];
      return field.type !== "checkbox" || field.defaultChecked ? [] : [field.parentNode.querySelector("bdi")?.textContent ?? ""];
    });
    $("alone").hidden = !unheard.length;
    link.href = link.textContent + (unheard.length ? search : "");
    link.parentNode.hidden = unheard.length > 0 && link.host === location.host;
    if (unheard.length) indexed(unheard.join(" ").trim());
  };
  const plain = apply.textContent;
  // Where nothing fits, the count is a sentence without a number.
  const label = () => {
    const count = $("count").textContent;
    apply.textContent = /\d/.test(count) ? apply.dataset.show.replace("{n}", count.split(/[:,] /)[0]) : plain;
  };
  const land = () => {
    if (covers()) filters.hidePopover();
    $("found").focus();
  };
  const show = async (url, { how = "push", back, top } = {}) => {
    clearTimeout(timer);
    request && request.abort();
    const mine = request = new AbortController();
    const slow = setTimeout(() => $("result-count").textContent = form.dataset.busy, 1000);
    const late = setTimeout(() => mine.abort("late"), 20000);
    $("results").setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, { signal: mine.signal });
      if (!answer.ok) throw new Error(answer.status);
      const page = parsed(await answer.text());
      if (mine !== request) return;
      regroup(page);
      if (back) restore(page);
      const parts = ["results", "other", "applied", "organizations"];
      // A name that is being typed stays.
      if ($("organizations")?.contains(document.activeElement)) parts.pop();
      for (const id of parts) $(id)?.replaceWith(document.importNode($(id, page), true));
      alone(page, url);
      stars.add();
      document.title = page.title;
      failed.hidden = true;
      // What is chosen in the sheet is one step of the history.
      if (how && new URL(url, location).href !== bare(location.href)) history[covers() ? "replaceState" : how + "State"](history.state, "", url);
      shown = bare(url);
      $("result-count").textContent = $("count").textContent;
      label();
      if (top) land();
    } catch {
      // Another request took its place, or the results stay as they are.
      if (mine !== request || mine.signal.aborted && mine.signal.reason !== "late") return;
      $("results").removeAttribute("aria-busy");
      failed.hidden = false;
      failed.lastElementChild.onclick = () => show(url, { how, back, top });
    } finally {
      clearTimeout(slow);
      clearTimeout(late);
    }
  };
  const soon = (wait, how) => {
    clearTimeout(timer);
    request && request.abort();
    timer = setTimeout(() => show(address(), { how }), wait);
  };
  alone(document, location);
  label();
  fields();
  form.addEventListener("change", event => event.target.name && event.target.type !== "search" && soon(120, "push"));
  form.addEventListener("input", event => {
    if (!event.target.name) return find(event.target);
    if (event.target.list) {
      clearTimeout(naming);
      naming = setTimeout(suggest, 150, event.target);
    }
    if (event.target.type !== "search") return;
    soon(250, "replace");
    // A reload keeps what was typed.
    history.replaceState(history.state, "", address());
  });
  form.addEventListener("submit", event => {
    event.preventDefault();
    if (!document.activeElement.name && document.activeElement.type === "search") return;
    const quick = event.submitter && event.submitter.name;
    show(address(event.submitter), { top: !quick, back: !!quick });
  });
  form.addEventListener("toggle", event => event.target.matches("details") && opened.set(key(event.target), event.target.open), true);
  form.addEventListener("click", event => {
    const link = event.target.closest("#results .pages a, #results .chips a, #results .none a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    show(link.href, { back: true, top: true });
  });
  // Nothing has the focus below the sheet that covers a small screen.
  filters.addEventListener("focusout", event => {
    if (event.relatedTarget && covers() && !filters.contains(event.relatedTarget)) filters.hidePopover();
  });
  // The sheet is a dialog that Back closes.
  let under = "";
  filters.addEventListener("toggle", () => {
    filters.role = covers() ? "dialog" : null;
    filters.ariaModal = covers() || null;
    if (covers()) {
      under = location.href;
      history.pushState({ sheet: true }, "", under);
    } else if (history.state?.sheet && location.href === under) history.back();
  });
  addEventListener("popstate", () => {
    if (covers() && !history.state?.sheet) filters.hidePopover();
    if (bare(location.href) !== shown) show(location.href, { how: "", back: true });
  });
  addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input,select,textarea")) return;
    event.preventDefault();
    form.elements.q.focus();
  });
})();
