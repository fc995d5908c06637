/** `dprof overlap` on a screen: a square of shares for each device. */
import { shareOf, type DeviceOverlap } from '../../prof/overlap/overlap.js';
import type { KindTimes } from '../../prof/overlap/overlap-sweep.js';
import { moreOf } from '../../record/plural.js';
import { amountText } from '../../record/units.js';
import { cut } from '../../table/shortened-texts.js';
import { aligned } from '../../write/cell-text.js';
import { profileHeading, screenText } from './layout.js';

/** Characters of a name, of the columns before the square, and of a column of the square. */
const [NAME, BEFORE, CELL] = [20, 45, 7];

const share = (part: number, whole: number): string => shareOf(part, whole)?.toFixed(1) ?? '-';

/**
 * @param by what the kinds are: the key of a column
 * @param most number of kinds
 * @param width width of the terminal, for which fewer may have room; null for any other output
 */
export function overlapScreen(device: DeviceOverlap, by: string, most: number, width: number | null): string {
  const room = width === null ? Infinity : Math.max(1, Math.floor((width - BEFORE) / CELL));
  const shown = device.kinds.slice(0, Math.min(most, room));
  const left = device.kinds.length - shown.length;
  const cells = ({ kind, active, alone, both }: KindTimes, at: number): string[] => [
    `${at + 1} ${cut(kind, NAME)}`,
    amountText(active, 'time'),
    share(alone, active),
    ...shown.map((_, other) => (other === at ? '' : share(both[other] ?? 0, active))),
    // The last cell is not aligned.
    '',
  ];
  const header = [by, 'active', 'alone%', ...shown.map((_, at) => `${at + 1}%`), ''];
  const right = new Set(header.keys());
  right.delete(0);
  const lines = [
    `${profileHeading(device.profile, device.header)}, device ${device.device}`,
    ...aligned([header, ...shown.map(cells)], right),
    ...(left > 0 ? [`(${moreOf(left, 'kind')} with less time: --top N, or -f csv)`] : []),
  ];
  return width === null ? screenText(lines) : screenText(lines, undefined, width);
}
