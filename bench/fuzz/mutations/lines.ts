/** Damage to lines: left out, repeated, in another order, cut, run together. */
import type { Mutation } from '../input.js';
import type { Random } from '../random.js';

type Editor = (lines: string[], at: number, random: Random) => void;

const EDITORS: Readonly<Record<string, Editor>> = {
  'lines removed': (lines, at, random) => void lines.splice(at, random.few(lines.length)),
  'lines repeated': (lines, at, random) => void lines.splice(at, 0, ...lines.slice(at, at + random.few(200))),
  'lines moved': (lines, at, random) =>
    void lines.splice(random.below(lines.length), 0, ...lines.splice(at, random.few(20))),
  'line cut': (lines, at, random) => {
    const line = lines[at] ?? '';
    lines[at] = line.slice(0, random.below(line.length));
  },
  'lines joined': (lines, at) => void lines.splice(at, 2, lines.slice(at, at + 2).join('')),
  'line of another kind': (lines, at, random) => {
    lines[at] = random.of([
      '',
      '[]',
      'null',
      '{}',
      'x',
      '{"type":"end"}',
      '{"type":"kernel"}',
      '# x',
      "{'kShortName': 1}",
    ]);
  },
};

export const LINE_MUTATIONS: Readonly<Record<string, Mutation>> = Object.fromEntries(
  Object.entries(EDITORS).map(([name, edit]): [string, Mutation] => [
    name,
    (bytes, random) => {
      const lines = bytes.toString('utf8').split('\n');
      edit(lines, random.below(lines.length), random);
      return { bytes: Buffer.from(lines.join(random.chance(0.1) ? '\r\n' : '\n')) };
    },
  ]),
);
