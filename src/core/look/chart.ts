import { shownCount } from "./amounts.ts";
import { SLOT_MS, SLOTS, type Pace } from "./isolate-look.ts";
import { sum } from "./sum.ts";

const WIDTH = 600;
const HEIGHT = 90;
const STEP = WIDTH / SLOTS;

/** The last minutes as bars, a slot each: requests, and before them those that went to the origin. */
export function paceChart(pace: readonly Pace[], now: number): string {
  const first = now - (now % SLOT_MS) - (SLOTS - 1) * SLOT_MS;
  const shown = pace.filter(({ at }) => at >= first && at <= now); // an isolate's clock may be ahead
  const most = Math.max(1, ...shown.map(({ requests, asked }) => Math.max(requests, asked)));
  const bars = shown.flatMap((slot) => {
    const x = ((slot.at - first) / SLOT_MS) * STEP;
    return [bar("served", x, slot.requests / most), bar("asked", x, slot.asked / most)];
  });
  const scale = `A bar is ${SLOT_MS / 1000} s, full height is ${shownCount(most)}`;
  return `<svg class="pace" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Requests and questions to the origin">${bars.join("")}</svg><p class="more">${scale}</p>`;
}

function bar(kind: "served" | "asked", x: number, share: number): string {
  const height = share * HEIGHT;
  return `<rect class="${kind}" x="${round(x)}" y="${round(HEIGHT - height)}" width="${STEP - 1}" height="${round(height)}"/>`;
}

/** Parts of a whole side by side, as one bar. */
export function shareBar(
  parts: readonly { readonly kind: string; readonly count: number }[],
  label: string,
): string {
  const all = sum(parts, ({ count }) => count);
  let x = 0;
  const rects = parts
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => {
      const width = (100 * count) / all;
      const rect = `<rect class="${kind}" x="${round(x)}" width="${round(width)}" height="10"/>`;
      x += width;
      return rect;
    });
  return `<svg class="shares" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${label}">${rects.join("")}</svg>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
