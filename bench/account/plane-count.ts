/** Events of an XPlane file by what they are: of device planes by line and details, of the host by name. */
import { readFileSync } from 'node:fs';
import { addTo } from '../../src/containers/map-entry.js';
import { fieldsOf, numberIn, type WireField } from '../neuron-wire.js';
import type { PlainCount } from './plain-count.js';

const inside = ({ value }: WireField): WireField[] => (Buffer.isBuffer(value) ? fieldsOf(value) : null) ?? [];
const all = (fields: readonly WireField[], field: number): WireField[] => fields.filter((each) => each.field === field);
const textIn = (fields: readonly WireField[], field: number): string => String(all(fields, field)[0]?.value ?? '');

/** Names in a table of a plane by number. */
const namesIn = (plane: readonly WireField[], field: number): ReadonlyMap<bigint, string> =>
  new Map(
    all(plane, field)
      .map(inside)
      .map((entry) => [numberIn(entry, 1), textIn(all(entry, 2).flatMap(inside), 2)]),
  );

const OF_TPU: Readonly<Record<string, string>> = {
  ...{ 'XLA Modules': 'module', 'XLA Ops': 'op', 'Async XLA Ops': 'transfer', 'XLA TraceMe': 'wait' },
};
const OF_HOST: readonly (readonly [names: RegExp, category: string])[] = [
  [/^Memory(?:All|Deall)ocation$/, 'memory'],
  [/^end: /, 'ends of events'],
  [/^ThreadpoolListener::/, 'events of thread pools'],
  [/^/, 'host event'],
];

/** Lines that XProf derives from others have ids with these low 32 bits. */
const isDerived = (id: bigint): boolean => (id & 0xffffffffn) >= 0xdeadbeefn && (id & 0xffffffffn) < 0xdeadbfefn;

/** What an event of a plane is, by the name of its kind and the names of its statistics. */
function categoryOf(plane: string, line: readonly WireField[], name: string, stats: readonly string[]): string {
  const ofLine = textIn(line, 2);
  if (plane.startsWith('/host:')) return OF_HOST.find(([names]) => names.test(name))?.[1] ?? '';
  if (plane.startsWith('/device:TPU:')) return OF_TPU[ofLine] ?? `events of ${ofLine}`;
  if (!plane.startsWith('/device:GPU:')) return `plane ${plane}`;
  if (ofLine === 'Steps') return 'step';
  if (isDerived(numberIn(line, 1))) return `line ${ofLine}`;
  const details = stats.find((stat) => /^(?:kernel|memcpy|memset)_details$/.test(stat));
  return details?.replace('_details', '') ?? `other events of ${ofLine}`;
}

export function countPlanes(path: string): PlainCount {
  const counts: PlainCount = new Map();
  for (const plane of all(fieldsOf(readFileSync(path)) ?? [], 1).map(inside)) {
    const [kinds, stats] = [namesIn(plane, 4), namesIn(plane, 5)];
    for (const line of all(plane, 3).map(inside))
      for (const event of all(line, 4).map(inside)) {
        const own = all(event, 4).map((stat) => stats.get(numberIn(inside(stat), 1)) ?? '');
        addTo(counts, categoryOf(textIn(plane, 2), line, kinds.get(numberIn(event, 1)) ?? '', own), 1);
      }
  }
  return counts;
}
