/** What a timeline calls the ranges of a thread, and which of them it keeps apart: texts are made for programs to read. */
import { LruCache } from '../../../../containers/lru-cache.js';
import { programFrames, readMarkerText } from '../../../../record/python/marker-text.js';
import type { RangeRecord } from '../../../../record/record.js';
import { hostRangeName, opTitle } from '../../../by/host/range-name.js';
import type { ApartRanges, EventKind } from '../timeline-data.js';

interface RangeTitle {
  readonly kind: Extract<EventKind, 'range' | 'op' | 'layer' | 'frame'>;
  readonly name: string;
}

/** Texts of PyProf's whose titles are remembered. */
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

/** `torch.mm` of a text that describes a call; of one that has the call stack the innermost frame of the program. */
function describedTitle(text: string): RangeTitle {
  const { call, stack } = readMarkerText(text);
  if (call !== null) return { kind: 'op', name: call.mod === '' ? call.op : `${call.mod}.${call.op}` };
  return { kind: 'range', name: programFrames(stack ?? []).at(-1) ?? stack?.at(-1) ?? text };
}
