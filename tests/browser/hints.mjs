// Suggestions while text is typed: a combobox by keyboard alone, by mouse, with what it leads to, and where there are none.

export const parts = ({ base, open, check, axe }) => {
  const options = page => page.$$eval("#hints li", all => all.map(it => [it.firstChild.textContent, it.dataset.href, it.ariaSelected]));
  const state = page => page.$eval("#q", field => ({
    role: field.role, expanded: field.ariaExpanded, active: field.getAttribute("aria-activedescendant"), value: field.value,
    shown: !!document.querySelector("#hints")?.checkVisibility(), focused: document.activeElement === field,
  }));
  const type = async (page, text) => {
    await page.fill("#q", "");
    await page.locator("#q").pressSequentially(text);
    // A slow browser may have been answered for the beginning of the text.
    await page.waitForTimeout(250);
    await page.waitForSelector("#hints li");
  };

  async function hints() {
    const first = async kind => (await (await fetch(`${base}/api/v1/${kind}?limit=1`)).json()).data.map(it => [it.displayName ?? it.name, `/${kind}/${it.slug}`])[0];
    const [name, href] = await first("recipients") ?? await first("programs");
    const { data: answer } = await (await fetch(`${base}/suggest?q=${encodeURIComponent(name)}`)).json();
    check("a name leads to its page", answer.some(it => it.href === href), JSON.stringify(answer));
    for (const [path, width] of [["/", 320], ["/", 1280], ["/es", 320], ["/es", 1280]]) {
      const page = await open({ viewport: { width, height: 800 }, bypassCSP: true });
      await page.goto(base + path);
      const before = await state(page);
      check(`a closed combobox on ${path}`, before.role === "combobox" && before.expanded === "false" && !before.shown, JSON.stringify(before));
      await type(page, name);
      const found = await options(page), last = found.length - 1;
      check(`at most eight suggestions on ${path}`, found.length > 0 && found.length <= 8, found.length);
      check(`they lead to pages of the language of ${path}`, found.every(([, href]) => href.startsWith("/es/") === path.startsWith("/es")), found.join(" "));
      check(`nothing is chosen before a key on ${path}`, (await state(page)).active === null && found.every(it => it[2] === "false"));
      await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
      check(`axe over open suggestions on ${path}`, violations.length === 0, violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`).join(" | "));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`suggestions do not widen ${path} at ${width} px`, wide <= 0, wide);
      const low = await page.$$eval("#hints li", all => Math.min(...all.map(it => it.getBoundingClientRect().height)));
      check(`suggestions are large enough to touch on ${path}`, low >= 40, low);
      for (const [key, active] of [["ArrowDown", 0], ["ArrowUp", null], ["ArrowUp", last], ["ArrowDown", null], ["ArrowDown", 0]]) {
        await page.keyboard.press(key);
        const now = await state(page), marked = (await options(page)).findIndex(it => it[2] === "true");
        check(`${key} on ${path}`, now.active === (active === null ? null : `hint${active}`) && marked === (active ?? -1) && now.focused && now.value === name, JSON.stringify(now));
      }
      await page.keyboard.press("Escape");
      const closed = await state(page);
      check(`Escape closes and keeps the text on ${path}`, !closed.shown && closed.expanded === "false" && closed.value === name && closed.focused, JSON.stringify(closed));
      await type(page, name);
      await page.keyboard.press("Tab");
      const left = await state(page);
      check(`Tab leaves and closes on ${path}`, !left.focused && !left.shown, JSON.stringify(left));
      await type(page, name);
      await page.keyboard.press("ArrowDown");
      const [[, href]] = await options(page);
      await Promise.all([page.waitForURL(base + href), page.keyboard.press("Enter")]);
      await page.goto(base + path);
      await type(page, name);
      await Promise.all([page.waitForURL(/[?&]q=/), page.keyboard.press("Enter")]);
      check(`Enter without a choice searches on ${path}`, new URL(page.url()).pathname.endsWith("/programs"), page.url());
      await page.goto(base + path);
      await type(page, name);
      const [[, clicked]] = await options(page);
      await Promise.all([page.waitForURL(base + clicked), page.click("#hints li >> nth=0")]);
      check(`no errors over suggestions on ${path}`, page.problems.length === 0, page.problems.join(" | "));
      await page.close();
    }
    // A host without suggestions has a plain field, and is not tried again.
    const page = await open();
    let tried = 0;
    await page.route(/\/suggest/, route => (tried++, route.fulfill({ status: 404, body: "" })));
    await page.goto(base + "/");
    await page.locator("#q").pressSequentially("research", { delay: 150 });
    check("a host without suggestions is tried once", tried === 1 && !(await state(page)).shown, tried);
    await page.close();
  }

  return { hints };
};
