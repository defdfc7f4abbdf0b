// Reloads the page when another snapshot is served, and shows the errors of the data above it.
(() => {
  const { generation, seen: built } = document.currentScript.dataset;
  const KEY = "opdir-preview-closed";
  let seen = "", root;

  const make = (name, text = "", kind = "") => {
    const element = document.createElement(name);
    element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  const listed = ({ place, code, message, help }) => {
    const item = make("li"), where = make("p");
    where.append(make("b", place), " ", make("code", code));
    item.append(where, make("p", message));
    if (help) item.append(make("p", help, "help"));
    return item;
  };

  const box = ({ title, problems, more }, since) => {
    const section = make("section"), close = make("button", "×"), list = make("ol");
    const at = since ? new Date(since).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "";
    section.setAttribute("role", "alert");
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => {
      sessionStorage.setItem(KEY, title + JSON.stringify(problems));
      section.remove();
    });
    list.append(...problems.map(listed));
    section.append(close, make("h2", title), make("p", `This page is still of the snapshot of ${at}.`, "dim"), list);
    if (more) section.append(make("p", `… and ${more} more kinds; the terminal has them.`, "dim"));
    return section;
  };

  // In a tree of its own, where no style of the page reaches it.
  const show = ({ trouble, since, building }) => {
    if (!root) {
      const host = document.body.appendChild(make("div"));
      root = host.attachShadow({ mode: "open" });
    }
    const style = make("link");
    style.rel = "stylesheet";
    style.href = "/__opdir/preview.css";
    const parts = [style];
    const isClosed = trouble && sessionStorage.getItem(KEY) === trouble.title + JSON.stringify(trouble.problems);
    if (trouble && !isClosed) parts.push(box(trouble, since));
    else if (building) parts.push(make("output", "building …"));
    root.replaceChildren(...parts);
  };

  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const visible = () => new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));

  const follow = async () => {
    for (;;) {
      // A browser has few connections for an address: pages that nobody sees hold none.
      while (document.hidden) await visible();
      try {
        const answer = await fetch(`/__opdir/status?seen=${seen}`, { cache: "no-store" });
        if (!answer.ok) throw new Error(answer.statusText);
        const status = await answer.json();
        const isOther = (status.generation ?? "") !== generation || (!generation && status.seen !== built && !status.building);
        if (isOther) return location.reload();
        if (status.seen === seen) {
          // Nothing new, or a preview that ends.
          await pause(50);
          continue;
        }
        seen = status.seen;
        if (generation) show(status);
      } catch {
        await pause(1000);
      }
    }
  };
  follow();
})();
