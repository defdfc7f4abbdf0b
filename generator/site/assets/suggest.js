// Suggests records and filters while text is typed: a combobox (ARIA 1.2). Without it the field is a plain one.
(() => {
  const field = document.querySelector("#q"), list = document.createElement("ul"), known = new Map();
  if (!field || !window.fetch) return;
  let path = field.form.action.replace(/programs$/, "suggest?q="), timer = 0, at = -1, typed = "";
  const state = (element, values) => Object.entries(values).forEach(it => element.setAttribute(...it));
  state(list, { id: "hints", class: "due", role: "listbox", "aria-label": field.labels[0].textContent });
  state(field, { role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-controls": "hints" });
  field.closest(".ask").after(list);
  const mark = next => {
    const options = [...list.children];
    at = next < -1 ? options.length - 1 : next < options.length ? next : -1;
    options.forEach((option, number) => state(option, { "aria-selected": number === at }));
    if (at < 0) return field.removeAttribute("aria-activedescendant");
    state(field, { "aria-activedescendant": options[at].id });
    options[at].scrollIntoView({ block: "nearest" });
  };
  const show = hints => {
    list.replaceChildren(...hints.map((hint, number) => {
      const option = document.createElement("li"), name = document.createElement("bdi"), about = document.createElement("small");
      state(option, { id: "hint" + number, role: "option", "data-href": hint.href });
      name.textContent = hint.text;
      name.lang = hint.lang ?? "";
      about.textContent = hint.about;
      option.append(name, " ", about);
      return option;
    }));
    list.hidden = !hints.length;
    state(field, { "aria-expanded": !list.hidden });
    mark(-1);
  };
  const close = () => {
    clearTimeout(timer);
    typed = "";
    show([]);
  };
  const find = async text => {
    typed = text;
    try {
      if (!known.has(text)) {
        const answer = await fetch(path + encodeURIComponent(text));
        // A static host has none.
        if (!answer.ok) path = "";
        known.set(text, answer.ok ? (await answer.json()).data : []);
      }
      if (typed === text && document.activeElement === field) show(known.get(text));
    } catch {
      close();
    }
  };
  const go = option => location.assign(option.dataset.href);
  field.addEventListener("input", () => {
    const text = field.value.trim().toLowerCase();
    clearTimeout(timer);
    if (path && text.length > 1) timer = setTimeout(find, 120, text);
    else close();
  });
  field.addEventListener("keydown", event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (list.hidden || event.isComposing || !(step || event.key === "Escape" || event.key === "Enter" && at >= 0)) return;
    event.preventDefault();
    if (step) mark(at + step);
    else if (event.key === "Enter") go(list.children[at]);
    else close();
  });
  // The field keeps the focus while an option is chosen.
  list.addEventListener("mousedown", event => event.preventDefault());
  list.addEventListener("click", event => go(event.target.closest("li")));
  field.addEventListener("blur", close);
  field.form.addEventListener("submit", close);
  close();
})();
