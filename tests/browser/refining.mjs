// A search that is refined: filters that follow the answer, on a wide screen and on a phone, with and
// without script; places by name, history, print, and random walks.

export const parts = ({ base, open, check, total, until }) => {
  // What a person sees of the search page: without what only remembers how it was come to.
  const look = (doc = document) => {
    const main = doc.querySelector("main").cloneNode(true);
    for (const it of main.querySelectorAll("details")) it.removeAttribute("open");
    // And without what only a script can use.
    for (const it of main.querySelectorAll("#result-count, #failed, .star, #apply, #hints, #names option, #facets input:not([name])")) it.remove();
    for (const it of main.querySelectorAll("[aria-busy]")) it.removeAttribute("aria-busy");
    const now = doc.querySelector("#search").elements;
    const fields = [...now].filter(it => it.name && it.type !== "submit").map(it => `${it.name}=${it.type === "checkbox" ? it.value + it.checked : it.value}`);
    for (const it of main.querySelectorAll("#q, input")) it.removeAttribute("value");
    for (const { name } of [...main.querySelector("#q").attributes]) if (/^(role|autocomplete|aria-)/.test(name)) main.querySelector("#q").removeAttribute(name);
    return JSON.stringify([doc.title, fields, main.innerHTML.replace(/ checked(="")?/g, "")]);
  };
  const seen = page => page.evaluate(look);
  const quiet = page => page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  const settled = async page => { await page.waitForTimeout(200); await quiet(page); };
  const groups = page => page.$$eval("#facets details", all => all.map(it => it.querySelector("[name]").name));

  async function refining() {
    const page = await open({ viewport: { width: 1280, height: 900 } });
    await page.goto(base + "/programs");
    const [before, whole] = [await groups(page), await total(page)];
    const group = page.locator("#facets details").first();
    check("topics are open", await group.locator("input[type=checkbox]").first().isVisible());
    const box = group.locator("input[type=checkbox]").last();
    const name = await box.getAttribute("value");
    await box.focus();
    const top = (await box.boundingBox()).y;
    await page.keyboard.press("Space");
    await settled(page);
    const at = await page.evaluate(() => ({ value: document.activeElement.value, open: document.activeElement.closest("details")?.open, top: document.activeElement.getBoundingClientRect().top }));
    check("the box keeps the focus, its group stays open", at.value === name && at.open, JSON.stringify(at));
    check("the box stays where it was on the screen", Math.abs(at.top - top) < 3, `${top} → ${at.top}`);
    const refined = await seen(page);
    await page.goto(page.url());
    check("filters follow the answer", refined === (await seen(page)));
    await page.click("#results .clear");
    await until(page, whole);
    check("groups that left come back", (await groups(page)).join() === before.join(), (await groups(page)).join());
    await page.close();
  }

  async function phone() {
    for (const javaScriptEnabled of [true, false]) {
      const how = javaScriptEnabled ? "with script" : "without script";
      const page = await open({ viewport: { width: 360, height: 740 }, javaScriptEnabled });
      await page.goto(base + "/programs");
      let asked = 0;
      page.on("request", () => asked++);
      const tops = await page.evaluate(() => ["[popovertarget]", ".rows"].map(it => document.querySelector(it).getBoundingClientRect().top));
      check(`the button of the filters is above the results ${how}`, tops[0] > 0 && tops[0] < tops[1], tops.join());
      check(`filters are folded away ${how}`, !(await page.isVisible("#filters")));
      await page.click("#search .chips .to");
      check(`filters open without a request ${how}`, (await page.isVisible("#filters")) && asked === 0, asked);
      await page.check("#filters input[name=rolling]");
      if (javaScriptEnabled) {
        await page.waitForURL(/rolling=true/);
        await settled(page);
        check("the sheet stays open", await page.isVisible("#filters"));
        const said = await page.textContent("#apply");
        check("the button says how many there are", said.includes((await page.textContent("#count")).split(", ")[0]), said);
      }
      await page.click("#apply");
      await page.waitForURL(/rolling=true/);
      await page.waitForSelector("#filters", { state: "hidden", timeout: 5000 }).catch(() => {});
      check(`filters close ${how}`, !(await page.isVisible("#filters")));
      const y = await page.evaluate(() => document.querySelector("#found").getBoundingClientRect().top);
      check(`the count is in sight ${how}`, y >= 0 && y < 740, y);
      if (javaScriptEnabled) check("the count has the focus", await page.evaluate(() => document.activeElement.id === "found"));
      const order = await page.evaluate(() => [...document.querySelector(".rows li").children].map(it => it.className || it.localName));
      check(`state and date stand under the title ${how}`, order[0] === "h3" && order[1] === "when", order.join());
      await page.goto(base + "/programs");
      const first = await page.evaluate(() => document.querySelector(".rows li").getBoundingClientRect().top);
      check(`the first result stands above 380 px ${how}`, first < 380, first);
      if (!javaScriptEnabled) { await page.close(); continue; }
      await page.click("#search .chips .to");
      // The event that opens it reaches the script in a later task.
      await page.waitForSelector("#filters[role=dialog]", { timeout: 5000 }).catch(() => {});
      check("the sheet is a dialog", (await page.getAttribute("#filters", "role")) === "dialog");
      await page.goBack();
      check("Back closes the sheet", !(await page.isVisible("#filters")) && new URL(page.url()).pathname === "/programs", page.url());
      await page.close();
    }
  }

  async function one_row() {
    for (const [path, width] of [["/programs", 360], ["/es/programs?open=true&openState=closing_soon", 390]]) {
      const page = await open({ viewport: { width, height: 740 } });
      await page.goto(base + path);
      const tops = await page.$$eval("#search > .chips > *", all => all.map(it => Math.round(it.getBoundingClientRect().top)));
      check(`quick filters stand in one row of ${width} px on ${path}`, tops.length === 3 && new Set(tops).size === 1, tops.join());
      await page.close();
    }
  }

  async function country() {
    for (const [path, typed] of [["/programs", "nigeria"], ["/es/programs", "germany"]]) {
      const page = await open();
      await page.goto(base + path);
      const group = page.locator("#facets details:has(> fieldset input[name=citizenship])");
      if (!(await group.count())) { await page.close(); continue; }
      await group.locator("summary").click();
      await group.locator("input[type=search]").fill(typed);
      const code = typed === "nigeria" ? "NG" : "DE";
      const box = group.locator(`input[value=${code}]`);
      await box.waitFor();
      await page.waitForTimeout(100);
      const left = await group.locator("label:visible").count();
      check(`${typed} is found by name on ${path}`, (await box.isVisible()) && left < 5, left);
      const count = Number((await group.locator(`label:has([value=${code}]) i`).textContent()).replace(/\D/g, ""));
      await box.check();
      await page.waitForURL(new RegExp(`citizenship=${code}`));
      await settled(page);
      check(`as many as were promised for ${typed}`, (await total(page)) === count, `${count} said, ${await total(page)} found`);
      check(`no errors while finding ${typed}`, page.problems.length === 0, page.problems.join(" | "));
      await page.close();
    }
    const page = await open({ javaScriptEnabled: false });
    await page.goto(base + "/programs?q=research&open=true");
    const link = page.locator("#facets a:visible, #facets a").first();
    const href = await link.getAttribute("href");
    check("all values keep the question", href.includes("q=research") && href.includes("open=true"), href);
    await page.goto(base + "/programs?all=citizenship");
    check("places offer countries that no record names", await page.locator("input[name=citizenship][value=NG]").count() <= 1);
    check("a group that is shown whole is open", await page.locator("input[name=citizenship]").last().isVisible());
    const regions = await page.locator("fieldset:has([name=citizenship]) > p").allTextContents();
    check("countries stand by continent", new Set(regions).size === regions.length, regions.join());
    await page.close();
  }

  async function histories() {
    const page = await open();
    await page.goto(base + "/programs");
    const length = () => page.evaluate(() => history.length);
    const start = await length();
    await page.fill("#q", "res");
    await page.waitForURL(/q=res/);
    await page.fill("#q", "research");
    await page.waitForURL(/q=research/);
    check("typing replaces", (await length()) === start, `${start} → ${await length()}`);
    await page.check("input[name=open]");
    await page.waitForURL(/open=true/);
    await settled(page);
    check("a filter is a step", (await length()) === start + 1, `${start} → ${await length()}`);
    await page.focus("#q");
    await page.keyboard.press("Enter");
    await settled(page);
    check("the same address is no step", (await length()) === start + 1, `${start} → ${await length()}`);
    const title = await page.title();
    check("the title says the question", /research/.test(title) && title.includes(await page.textContent("#count")), title);
    await page.check(".chips input[name=openState]");
    await page.waitForURL(/closing_soon/);
    check("a quick filter shows that it is on", await page.isChecked(".chips input[name=openState]"));
    check("filters are counted without the text", (await page.textContent("#applied")) === " (2)", await page.textContent("#applied"));
    check("a quick link keeps the question", /q=research/.test(page.url()) && /open=true/.test(page.url()), page.url());
    await page.goto(base + "/programs?fundingMin=1000");
    check("bounds that are set are seen", await page.isVisible("input[name=fundingMin]"));
    await page.goto(base + "/es/programs?type=cascade-funding");
    check("no value is shown as its code", !(await page.textContent("main")).includes("cascade-funding"));
    await page.close();
  }

  async function print() {
    const page = await open({ colorScheme: "dark" });
    const program = (await (await fetch(base + "/api/v1/search?limit=1&facets=false")).json()).data[0].slug;
    for (const path of [`/programs/${program}`, "/programs?open=true"]) {
      await page.goto(base + path);
      const links = () => page.evaluate(() => [...document.querySelectorAll("main a")].filter(it => it.checkVisibility() && !it.closest("#filters, .pages, .skip, .chips li:has(.clear)")).length);
      const shown = await links();
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      check(`print keeps what is said on ${path}`, (await links()) >= shown, `${shown} → ${await links()}`);
      const [paper, ink] = await page.evaluate(() => ["backgroundColor", "color"].map(it => getComputedStyle(document.documentElement)[it].match(/[\d.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)));
      check(`print is dark on white on ${path}`, paper > 700 && ink < 200, `${ink} on ${paper}`);
      check(`${path} becomes a PDF`, (await page.pdf()).length > 1000);
      await page.emulateMedia({ media: "screen" });
    }
    await page.close();
  }

  // Pictures and records: what is drawn is also said, and a record answers in the order of the questions.
  async function records() {
    const page = await open({ javaScriptEnabled: false });
    for (const path of ["/", "/es", "/deadlines"]) {
      await page.goto(base + path);
      const bars = await page.$$eval(".bars li", all => all.map(it => [it.firstElementChild.textContent, Number(it.querySelector("i").textContent.replace(/\D/g, "")), parseFloat(it.querySelector("rect").getAttribute("width"))]));
      const most = Math.max(...bars.map(it => it[1]));
      check(`months as bars on ${path}`, bars.length > 0 && bars.every(([name, n, width]) => name && Math.abs(width - (100 * n) / most) <= 1), JSON.stringify(bars));
    }
    const { data } = await (await fetch(base + "/api/v1/search?limit=60&facets=false")).json();
    let lists = 0;
    for (const { slug } of data) {
      const { program } = (await (await fetch(`${base}/api/v1/programs/${slug}`)).json()).data;
      const item = program.description?.slice(0, 2000).match(/^(?:- |\u2022) *(.+)$/m)?.[1].trim();
      if (!item || lists++ > 2) continue;
      await page.goto(`${base}/programs/${slug}`);
      const items = await page.$$eval("article section:not(.key) ul li", all => all.map(it => it.textContent));
      check(`a list is a list on ${slug}`, items.includes(item), item);
    }
    await page.goto(`${base}/programs/${data[0].slug}`);
    const card = await page.textContent(".key");
    const order = ["By when", "Who can apply", "How much", "Where"].map(word => card.indexOf(word));
    check("by when, who can apply, how much, where", order[0] >= 0 && order.every((at, place) => !place || at > order[place - 1]), order.join());
    await page.goto(base + "/docs/api");
    const calls = await page.$$eval(".beside section[id]", all => all.map(it => [it.id, it.querySelector("p > a[data-run]")?.getAttribute("href"), it.querySelectorAll("details pre").length]));
    check("every call is in the index", (await page.locator(".beside nav a").count()) === calls.length && calls.length > 0);
    for (const [id, href] of calls) check(`${id} can be tried`, !!href && (await fetch(base + href)).ok, href);
    const silent = calls.filter(([, , answers]) => answers !== 1);
    check("answers stand beside calls", silent.length === 0, JSON.stringify(silent));
    await page.close();
  }

  // After any click the page is what its address gives afresh. Walks are many: pages walk beside each other, the
  // script's own pauses are left out, each step is held against the address fetched and parsed, and where a walk
  // ends also against the address loaded, script and all.
  const WALKS = Number(process.env.WALKS) || 300, STEPS = 5, BESIDE = 4;
  const hurried = () => {
    const later = window.setTimeout;
    window.setTimeout = (then, wait, ...rest) => later(then, wait < 1000 ? 0 : wait, ...rest);
  };
  // Clicks one of the controls, waits for the answer, and says where the page is then and how it differs.
  const step = async chosen => {
    const all = document.querySelectorAll("#facets label input, .sheet > fieldset input, #search > .chips input, #results .chips a, #results .pages a");
    const before = document.querySelector("#results");
    if (!all.length) return null;
    const late = setTimeout(() => document.title = "no answer", 20000);
    await new Promise(done => {
      const answered = () => (document.querySelector("#results") !== before || document.title === "no answer") && done();
      new MutationObserver(answered).observe(document, { childList: true, subtree: true, characterData: true });
      all[chosen % all.length].click();
    });
    clearTimeout(late);
    const parsed = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const [a, b] = [look(), look(parsed)];
    let at = 0;
    while (a[at] === b[at] && at < a.length) at++;
    return [location.href, a === b ? "" : `${a.slice(at, at + 120)} | ${b.slice(at, at + 120)}`];
  };

  async function walker(next, starts) {
    const size = { viewport: { width: 1280, height: 900 } };
    const [page, fresh] = [await open(size), await open(size)];
    await page.addInitScript(hurried);
    await page.addInitScript(`window.look = ${look}`);
    let steps = 0;
    for (let walk = next(); walk < WALKS; walk = next()) {
      let seed = 7 + 31 * walk, url;
      const random = n => (seed = (seed * 48271) % 2147483647) % n;
      random(1), random(1);
      await page.goto(base + (random(2) ? "/programs" : "/es/programs") + starts[random(starts.length)], { waitUntil: "domcontentloaded" });
      for (let at = 0; at < STEPS; at++, steps++) {
        const told = await page.evaluate(step, random(1 << 20));
        if (!told) break;
        url = told[0];
        if (told[1]) check(`walk ${walk}: afresh ${url.slice(base.length)}`, false, told[1]);
      }
      await fresh.goto(url, { waitUntil: "domcontentloaded" });
      if ((await seen(page)) !== (await seen(fresh))) check(`walk ${walk}: loaded afresh ${url.slice(base.length)}`, false);
    }
    check("no errors on walks", page.problems.length === 0, page.problems.join(" | "));
    await page.close();
    await fresh.close();
    return steps;
  }

  async function walks() {
    let walk = 0;
    // Two of the organizations, which no control of the page selects.
    const [one, other] = (await fetch(base + "/api/v1/search?limit=100&facets=false").then(it => it.json())).data.map(it => it.organization.slug).filter((it, at, all) => all.indexOf(it) === at);
    const starts = ["", "", `?organization=${one}`, `?organization=${one}&organization=${other}`];
    const steps = await Promise.all(Array.from({ length: BESIDE }, () => walker(() => walk++, starts)));
    const all = steps.reduce((a, b) => a + b, 0);
    check(`${WALKS} walks, ${all} steps`, all >= WALKS);
  }

  return { refining, phone, one_row, country, histories, print, records, walks };
};
