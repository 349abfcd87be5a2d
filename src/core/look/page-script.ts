/** Takes the figures of the page anew every other second, less often while nobody sees it; its hash is in `LOOK_CSP`. */
export const LOOK_SCRIPT = `
const LOOK_MS = 2000, HIDDEN_MS = 15000, LOST_MS = 10000;
const state = document.getElementById("state");
async function look() {
  try {
    const response = await fetch(location.origin + location.pathname, { cache: "no-store", signal: AbortSignal.timeout(LOST_MS) });
    if (!response.ok) throw new Error("status " + response.status);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.getElementById("figures").replaceChildren(...page.getElementById("figures").childNodes);
    state.textContent = page.getElementById("state").textContent;
    state.className = "";
  } catch (error) {
    state.textContent = "Not answered: " + error.message;
    state.className = "lost";
  }
  setTimeout(look, document.hidden ? HIDDEN_MS : LOOK_MS);
}
setTimeout(look, LOOK_MS);
`;
