/** Names of the events of a timeline. Names that are in no piece show which rows of the page's tables get no link. */
import type { NamedField, ApartRanges, EventKind } from '../timeline-data.js';
import type { KernelRecord, CopyLine, RangeRecord } from '../../../../record/record.js';
import type { DeviceActivity } from '../../../input/device-activity.js';
import { hostRangeName, rangeAmong, opTitle } from '../../../by/host/range-name.js';
import { LruCache } from '../../../../containers/map-entry.js';
import { programFrames, readMarkerText } from '../../../../record/python/marker-text.js';

interface RangeTitle {
  readonly kind: Extract<EventKind, 'range' | 'op' | 'layer' | 'frame'>;
  readonly name: string;
}

/** Number of PyProf strings whose titles are cached. */
const RECENT = 4096;

export class RangeTitles {
  readonly #described = new LruCache<string, RangeTitle>(RECENT);

  of(range: RangeRecord): RangeTitle & { readonly apart: ApartRanges | null } {
    const { kind, name } = range.kind === 'marker' ? this.#described.of(range.text, describedTitle) : plainTitle(range);
    return { kind, name, apart: range.open === true ? 'never ended' : kind === 'frame' ? 'frames' : null };
  }
}

function plainTitle({ kind, domain, text }: RangeRecord): RangeTitle {
  if (kind === 'frame') return { kind, name: text };
  if (kind === 'layer') return { kind, name: hostRangeName({ kind, domain, text }) };
  const name = kind === 'op' ? opTitle(text) : text;
  return { kind: kind === 'op' ? kind : 'range', name: domain === null ? name : `${domain}:${name}` };
}

/** `torch.mm` for a string that describes a call; for one with the call stack, the innermost frame of the program. */
function describedTitle(text: string): RangeTitle {
  const { call, stack } = readMarkerText(text);
  if (call !== null) return { kind: 'op', name: call.mod === '' ? call.op : `${call.mod}.${call.op}` };
  return { kind: 'range', name: programFrames(stack ?? []).at(-1) ?? stack?.at(-1) ?? text };
}

const OPS = new Set(['op'] as const);

/** The op or layer under which tables list a host range. */
export function tableNames(record: RangeRecord): Readonly<Record<'op' | 'layer', string | null>> {
  const op = rangeAmong(OPS, record);
  return {
    op: op === null ? null : hostRangeName(op),
    layer: record.kind === 'layer' ? hostRangeName(record) : null,
  };
}

/** `0 hardware_dynamic`: number of a packet's queue, and its purpose. */
export const queueOf = (record: DeviceActivity): string | null =>
  record.type !== 'copy' || record.queue === undefined
    ? null
    : [record.queue, ...(record.queueType === undefined ? [] : [record.queueType])].join(' ');

/** `copy HtoD`; `copy DMA w` for a packet that moves a part of the tensor w. */
export const copyTitle = ({ kind, labels }: CopyLine): string =>
  ['copy', ...(kind === null ? [] : [kind]), ...(labels?.['variable'] === undefined ? [] : [labels['variable']])].join(
    ' ',
  );

const MOST_NAMES = 50_000;

export class ShortNames {
  readonly #names = new Map<string, string>();

  take({ name, short }: Pick<KernelRecord, 'name' | 'short'>): void {
    if (name !== short && this.#names.size < MOST_NAMES) this.#names.set(name, short);
  }

  /** Null when it equals the full name. */
  of(name: string): string | null {
    return this.#names.get(name) ?? null;
  }
}

/** For layers, the path of each event, with `/` as separator, and where it begins. */
export class EventNames {
  readonly #names: Readonly<Record<NamedField, ReadonlySet<string>>>;

  /** @param texts the strings of the events of all pieces; ranges and kernels by their names in tables */
  constructor({ layer, range, ...texts }: Readonly<Record<NamedField, Iterable<string>>>) {
    const paths = new Set<string>();
    const layers = new Set<string>();
    for (const path of new Set(layer)) {
      const parts = path.split('/');
      parts.forEach((part, i) => {
        layers.add(part);
        paths.add(parts.slice(0, i + 1).join('/'));
      });
    }
    this.#names = {
      ...{ kernel: new Set(texts.kernel), op: new Set(texts.op), category: new Set(texts.category) },
      ...{ layer: paths, range: new Set([...range, ...layers]) },
    };
  }

  /** The given names that no event has, each once. */
  lacking(wanted: Readonly<Record<NamedField, readonly string[]>>): Record<NamedField, readonly string[]> {
    const lacking = (field: NamedField): string[] => {
      const known = this.#names[field];
      return [...new Set(wanted[field])].filter((name) => name !== '' && !known.has(name));
    };
    return {
      ...{ kernel: lacking('kernel'), op: lacking('op'), category: lacking('category') },
      ...{ layer: lacking('layer'), range: lacking('range') },
    };
  }
}
