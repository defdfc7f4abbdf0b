// What a person finds and keeps: found words in rows, organizations, the shortlist, on a wide screen and on a phone, with
// and without script.

export const parts = ({ base, open, check, total }) => {
  const get = async path => (await fetch(base + path)).json();
  const fold = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const widths = [360, 1280];

  async function found() {
    for (const javaScriptEnabled of [true, false]) for (const width of widths) {
      const page = await open({ viewport: { width, height: 800 }, javaScriptEnabled });
      const how = `${width} px ${javaScriptEnabled ? "with" : "without"} script`;
      for (const [path, stem] of [["/programs?q=research", "research"], ["/es/programs?q=research", "investig"], ["/programs?q=scholarships", "scholar"]]) {
        await page.goto(base + path);
        const marks = await page.$$eval(".rows mark", all => all.map(it => it.textContent));
        check(`found words are marked on ${path} ${how}`, marks.length > 0 && marks.some(it => fold(it).includes(stem) || fold(it).includes("research")), marks.slice(0, 5).join());
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(`marks do not widen ${path} ${how}`, wide <= 0, wide);
      }
      await page.goto(base + "/programs");
      check(`nothing is marked where nothing is asked ${how}`, (await page.locator("mark").count()) === 0);
      await page.close();
    }
    // A record that is found by its description shows the sentence that holds the word.
    const page = await open();
    const { data } = await get("/api/v1/search?limit=60&facets=false");
    let shown = 0;
    for (const { slug, name, summary } of data) {
      const { program } = (await get(`/api/v1/programs/${slug}`)).data;
      const said = fold(`${name} ${summary ?? ""}`).match(/[a-z]+/g) ?? [];
      const word = summary && fold(program.description?.slice(summary.length, 900) ?? "").match(/\b[a-z]{9,14}\b/g)?.find(it => !said.some(other => other.startsWith(it.slice(0, 5))));
      if (!word || shown > 2) continue;
      await page.goto(`${base}/programs?q=${word}`);
      const row = page.locator(`.rows li:has(a[href$="/${slug}"])`);
      if (!(await row.count()) || !(await row.locator("mark").count())) continue;
      shown++;
      const marks = await row.locator("p mark").allTextContents();
      check(`the sentence with ${word} is shown`, marks.some(it => fold(it).startsWith(word.slice(0, 5))), marks.join());
    }
    check("a sentence of a description was shown", shown > 0);
    await page.close();
  }

  async function organizations() {
    const all = (await get("/api/v1/organizations?limit=100")).data;
    const count = async ({ slug }) => [slug, (await get(`/api/v1/organizations/${slug}`)).data.programs.length];
    const counts = await Promise.all(all.slice(0, 30).map(count));
    const [[slug, programs], [second]] = counts.sort(([, a], [, b]) => b - a);
    for (const [javaScriptEnabled, width] of [[true, 1280], [false, 360]]) {
      const page = await open({ javaScriptEnabled, viewport: { width, height: 800 } });
      await page.goto(`${base}/organizations/${slug}`);
      const rank = { soon: 0, open: 0, roll: 1, next: 3 };
      const listed = await page.$$eval(".due li", rows => rows.map(it => [it.querySelector(".s")?.classList[1] ?? "none", it.querySelector("time")?.dateTime ?? "9999"]));
      const ahead = listed.filter(([state]) => state in rank);
      const keys = ahead.map(([state, day]) => `${rank[state]} ${day}`);
      check(`programs stand by state and deadline at ${width} px`, keys.join() === [...keys].sort().join() && listed.slice(0, ahead.length).every(([state]) => state in rank), keys.join());
      const link = page.locator("main a[href*='organization=']");
      check("all of them are in the search", (await link.count()) === (programs > 1 ? 1 : 0));
      if (!(await link.count())) { await page.close(); continue; }
      await link.click();
      check(`the search finds all ${programs}`, (await total(page)) === programs, await total(page));
      const fields = page.locator("input[name=organization]");
      const name = await fields.first().inputValue();
      check("the field says whose they are", name.length > 0, name);
      await page.goto(`${base}/programs?open=true&organization=${encodeURIComponent(name)}`);
      check("a name finds the organization, with other filters", (await total(page)) <= programs && (await page.title()).includes(name), await page.title());
      if (javaScriptEnabled) {
        await page.goto(`${base}/programs?organization=${slug}`);
        await fields.last().fill(second);
        await Promise.all([page.waitForURL(/organization=.*organization=/), fields.last().press("Enter")]);
        await page.waitForFunction(() => document.querySelector("#results").ariaBusy !== "true");
        check("another organization is added", (await total(page)) > programs, await total(page));
        await page.goto(`${base}/programs`);
        await fields.first().pressSequentially(name.slice(0, 4));
        const listed = await page.waitForFunction(name => [...document.querySelectorAll("#names option")].some(it => it.value === name), name, { timeout: 5000 }).then(() => true, () => false);
        check(`${name} is suggested for its beginning`, listed, await page.evaluate(() => document.querySelector("#names").outerHTML));
      }
      await page.goto(`${base}/programs?organization=there+is+none`);
      check("an organization that is not there is told", (await page.textContent("#invalid")).includes("there is none"));
      await page.goto(`${base}/es/programs?organization=${slug}`);
      const [one, other] = [await total(page), await fetch(`${base}/es/programs.csv?organization=${slug}`).then(it => it.text())];
      check("the table of an organization has its rows", other.trim().split("\r\n").filter(it => /^"?[0-9a-f-]{36}/.test(it)).length === one, one);
      await page.close();
    }
  }

  // What a button saves.
  const saved = async (page, button) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    return Buffer.concat(await (await download.createReadStream()).toArray()).toString();
  };

  async function shortlist() {
    const { data } = await get("/api/v1/search?q=research&limit=3&facets=false");
    for (const [prefix, width] of [["", 1280], ["/es", 360]]) {
      const page = await open({ viewport: { width, height: 800 } });
      await page.goto(`${base}${prefix}/programs?q=research`);
      const star = page.locator(".rows .star").first();
      const name = await page.locator(".rows h3 a").first().textContent();
      await star.focus();
      await page.keyboard.press("Enter");
      check(`a star is pressed at ${width} px`, (await star.getAttribute("aria-pressed")) === "true");
      check("the star says of what", (await star.getAttribute("aria-label")).includes(name));
      const record = await page.locator(".rows h3 a").nth(1).getAttribute("href");
      await page.goto(base + record);
      await page.locator(".star").click();
      await page.click("#kept");
      await page.waitForSelector("#list table");
      const heads = await page.locator("#list th[scope=col] a").allTextContents();
      check(`both are on the shortlist at ${width} px`, heads.length === 2 && heads[0] === name, heads.join());
      const rows = await page.locator("#list th[scope=row]").allTextContents();
      check("dates, money, eligibility and source are compared", rows.length >= 4, rows.join());
      const who = await page.evaluate(async () => {
        const parsed = new DOMParser().parseFromString(await (await fetch(document.querySelector("#list th a").href)).text(), "text/html");
        const row = [...parsed.querySelectorAll(".key dl > div")][2], label = row.querySelector("dt").textContent;
        const shown = [...document.querySelectorAll("#list tr")].find(it => it.firstElementChild.textContent === label);
        const flat = it => it.textContent.replace(/\s+/g, "");
        return [...row.querySelectorAll("dd")].map(flat).join("") === flat(shown.cells[1]) ? "" : `${shown.cells[1].textContent} | ${row.textContent}`;
      });
      check("who can apply is what the record says", who === "", who);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`the shortlist fits ${width} px`, wide <= 0, wide);
      const table = await saved(page, "#csv");
      check("the table is saved", table.startsWith("\ufeff\"") && table.trim().split("\r\n").length === 3, table.slice(0, 60));
      await page.locator(".drop").first().click();
      await page.waitForFunction(() => document.querySelectorAll("#list th[scope=col]").length === 1);
      await page.reload();
      await page.waitForSelector("#list table");
      check("what was taken off stays off", (await page.locator("#list th[scope=col]").count()) === 1);
      check("no errors while keeping", page.problems.length === 0, page.problems.join(" | "));
      await page.close();
    }
    // A calendar has what has a day, and a list longer than the bound states that.
    const many = (await get("/api/v1/search?limit=60&facets=false")).data;
    const dated = many.find(it => it.nextDeadline);
    const undated = (await get("/api/v1/search?rolling=true&limit=60&facets=false")).data.find(it => !it.nextDeadline);
    for (const all of [[undated], [undated, dated], many]) {
      const page = await open();
      await page.goto(`${base}/shortlist#${all.map(it => it.slug)}`);
      await page.waitForSelector("#list table");
      const days = all.length > 1, shown = await Promise.all(["#ics", "#undated", "#rest"].map(it => page.isVisible(it)));
      check(`a calendar and the bound are stated of ${all.length}`, `${shown}` === `${[days, !days, all.length > 50]}` && (await page.textContent("#count")) === `${all.length}`, `${shown}`);
      const text = days ? await saved(page, "#ics") : "";
      check("the calendar is whole", !days || /^BEGIN:VCALENDAR\r\n[^]*BEGIN:VEVENT[^]*END:VEVENT\r\nEND:VCALENDAR\r\n$/.test(text), text.slice(0, 90));
      await page.evaluate(() => navigator.clipboard.writeText = async text => document.title = text);
      await page.click("#copy");
      check("the link has all", (await page.title()).split(",").length === all.length, await page.title());
      await page.close();
    }
    // Another person opens the address.
    const page = await open();
    await page.goto(`${base}/shortlist#${data.map(it => it.slug).join(",")},there-is-none`);
    await page.waitForSelector("#list table");
    check("an address is a list", (await page.locator("#list th[scope=col] a").count()) === data.length);
    check("it is named as shared", await page.isVisible("#shared"));
    await page.click("#take");
    await page.waitForFunction(() => !location.hash && document.querySelector("#shared").hidden);
    check("it can be kept", (await page.locator(".drop").count()) === data.length + 1);
    check("the server is told nothing", (await page.context().cookies()).length === 0);
    await page.close();
    const plain = await open({ javaScriptEnabled: false });
    await plain.goto(base + "/shortlist");
    check("without script the shortlist says why it is empty", await plain.isVisible("noscript p"));
    await plain.close();
  }

  // A static host gives the page as it lies there, whatever the query; it may be the host where the directory lives.
  async function alone() {
    const page = await open();
    const plain = (await (await fetch(base + "/programs")).text()).replace(/(id="alone".*<a href="[^"]*">)[^<]*/, `$1${base}/programs`);
    await page.route(/\/programs\?/, route => route.fulfill({ contentType: "text/html", body: plain }));
    await page.goto(base + "/programs?q=research");
    check("a copy states that it cannot search, and offers no search at its own address", (await page.isVisible("#alone")) && !(await page.isVisible("#alone a")));
    await page.close();
  }

  async function running() {
    for (const path of ["/docs/api", "/es/docs/api"]) {
      const page = await open({ viewport: { width: 360, height: 800 } });
      await page.goto(base + path);
      const form = page.locator("#searchOpportunities form, section[id] form").first();
      await form.locator("input").fill("/api/v1/search?q=research&limit=1&facets=false");
      await form.locator("input").press("Enter");
      const out = page.locator("section[id] form ~ pre:not([hidden])").first();
      await out.waitFor();
      check(`a call runs on ${path}`, JSON.parse(await out.textContent()).data.length <= 1);
      check("its status is said", /^200 /.test(await page.locator("section[id] form ~ [role=status]").first().textContent()));
      await form.locator("input").fill("https://example.org/");
      await form.locator("button").click();
      check("no other host is asked", page.problems.length === 0, page.problems.join(" | "));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`what it answers fits on ${path}`, wide <= 0, wide);
      await page.close();
    }
  }

  return { running, found, organizations, shortlist, alone };
};
