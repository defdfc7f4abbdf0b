// Keeps records in this browser and nowhere else: a star beside each name, on rows and on a record's page. Where the
// browser can share an address, a record's page has a button for that.
const stars = (() => {
  const link = document.querySelector("#kept");
  const read = () => {
    try {
      return [].concat(JSON.parse(localStorage.getItem("kept")) ?? []).filter(it => typeof it === "string");
    } catch {
      return [];
    }
  };
  const write = slugs => {
    try {
      localStorage.setItem("kept", JSON.stringify(slugs));
    } catch {}
    paint();
  };
  const paint = () => {
    const kept = read();
    link.textContent = link.dataset.name + (kept.length ? ` (${kept.length})` : "");
    for (const star of document.querySelectorAll(".star")) {
      const on = kept.includes(star.value);
      star.ariaPressed = on;
      star.textContent = on ? "\u2605" : "\u2606";
    }
  };
  const add = () => {
    for (const name of document.querySelectorAll(".rows h3 a, h1[data-slug]")) {
      const star = document.createElement("button");
      star.type = "button";
      star.className = "star";
      star.value = name.dataset.slug ?? name.pathname.split("/").pop();
      star.ariaLabel = `${link.dataset.keep}: ${name.textContent}`;
      const row = name.closest("li, .named");
      if (!row.querySelector(".star")) name.dataset.slug ? name.after(star) : row.append(star);
    }
    paint();
  };
  document.addEventListener("click", event => {
    const slug = event.target.closest(".star")?.value, kept = read();
    if (slug) write(kept.includes(slug) ? kept.filter(it => it !== slug) : [...kept, slug]);
  });
  const title = document.querySelector("h1[data-slug]");
  if (title && navigator.share) {
    const share = Object.assign(document.createElement("button"), { type: "button", className: "bare share", textContent: link.dataset.share });
    share.onclick = () => navigator.share({ title: title.textContent, url: location.href.split("#")[0] }).catch(() => {});
    title.after(share);
  }
  addEventListener("storage", paint);
  add();
  return { read, write, add };
})();
