// What the browser's tests ask of a page: contrast as WCAG 2 computes it, and faults in its structure.
function channels(color) {
  const found = color.match(/[\d.]+/g).map(Number);
  return { r: found[0], g: found[1], b: found[2], a: found.length > 3 ? found[3] : 1 };
}

function over(top, under) {
  const mix = (one, other) => one * top.a + other * (1 - top.a);
  return { r: mix(top.r, under.r), g: mix(top.g, under.g), b: mix(top.b, under.b), a: 1 };
}

function luminance({ r, g, b }) {
  const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

function groundOf(element) {
  const layers = [];
  for (let one = element; one !== null; one = one.parentElement) layers.push(channels(getComputedStyle(one).backgroundColor));
  // What nothing covers is the browser's own sheet.
  let ground = { r: 255, g: 255, b: 255, a: 1 };
  for (const layer of layers.reverse()) ground = over(layer, ground);
  return ground;
}

function ground() {
  return luminance(groundOf(document.body));
}

function contrasts() {
  const failed = [];
  let measured = 0;
  for (const element of document.body.querySelectorAll("*")) {
    const ownText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    const labelled = getComputedStyle(element, "::before").content.startsWith('"');
    if ((!ownText && !labelled) || !element.checkVisibility() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    if (element.closest(".unseen, .skip") !== null) continue;
    const under = groundOf(element);
    for (const pseudo of [ownText ? null : undefined, labelled ? "::before" : undefined]) {
      if (pseudo === undefined) continue;
      const text = over(channels(getComputedStyle(element, pseudo).color), under);
      const [high, low] = [luminance(text), luminance(under)].sort((one, other) => other - one);
      const ratio = (high + 0.05) / (low + 0.05);
      measured += 1;
      if (ratio < 4.5) failed.push(`${element.tagName}.${element.className} ${element.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
  }
  return { measured, failed };
}

function faults() {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const say = (fault, element) => found.push(`${fault}: ${element.outerHTML.slice(0, 120)}`);
  if (document.documentElement.lang !== "en") found.push("no language");
  if (document.title === "") found.push("no title");
  if (all("main").length !== 1 || all("h1").length !== 1) found.push("not one main and one h1");
  const ids = all("[id]").map((one) => one.id);
  if (new Set(ids).size !== ids.length) found.push("an id twice");
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const here = Number(heading.tagName[1]);
    if (here > level + 1) say("a heading skips a level", heading);
    level = here;
  }
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
    for (const one of all(`[${name}]`)) if (document.getElementById(one.getAttribute(name)) === null) say(`${name} leads nowhere`, one);
  }
  for (const one of all("a[href^='#']")) if (document.getElementById(one.hash.slice(1)) === null) say("a link leads nowhere", one);
  for (const one of all("input")) if (one.labels.length === 0) say("no label", one);
  for (const one of all("button, a, summary, caption, th")) if (one.textContent.trim() === "") say("no name", one);
  for (const one of all("svg, img")) if (one.getAttribute("aria-hidden") !== "true") say("a picture without a word", one);
  for (const one of all("table")) {
    if (one.querySelector("thead th[scope=col]") === null) say("no column heads", one);
    for (const row of one.tBodies[0].rows) if (row.cells.length !== one.tHead.rows[0].cells.length) say("a row of another length", row);
    if (one.caption === null && one.closest("[aria-labelledby]") === null) say("a table without a name", one);
  }
  for (const one of all("[tabindex='0']")) if (one.getAttribute("role") === null) say("focus without a role", one);
  for (const one of all("dl > div")) if (one.querySelector("dt") === null || one.querySelector("dd") === null) say("half a term", one);
  for (const one of all("ul, ol")) if ([...one.children].some((child) => child.tagName !== "LI")) say("a list of other things", one);
  return found;
}
