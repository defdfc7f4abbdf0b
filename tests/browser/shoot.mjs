// A picture of a page, or none: on a busy machine Chromium cannot always make one, and a picture is no check.
export const shoot = (page, options, tries = 3) => page.screenshot(options).catch(error =>
  tries > 1 ? shoot(page, options, tries - 1) : console.error(`no picture of ${page.url()}: ${error}`));
