// A picture of a page, or none: on a busy machine Chromium cannot always make one, and a picture is no check.
export const shoot = async (page, options) => {
  for (let tries = 3; tries; tries--) {
    try {
      return await page.screenshot(options);
    } catch (error) {
      if (tries === 1) console.error(`no picture of ${page.url()}: ${error.message.split("\n")[0]}`);
    }
  }
};
