/** Names of the host's ranges: records have their texts as the profile has them. */
import { isLookup, readMarkerText } from '../../../record/python/marker-text.js';
import type { RangeKind, RangeRecord } from '../../../record/record.js';
import { readStepName } from '../../../record/serving-step.js';

/** Prefixes that readers remove from the texts of layers. */
const LAYER_PREFIX = /^(?:layer:|nn\.Module: )/;
/** What PyTorch adds to the names of ops in NVTX ranges: calls of one op have one name. */
const CALL_DETAILS = /, (?:seq|op_id|sizes|input_op_ids) = .*$/s;

/** Modules of ops and nodes. The engine's wrapper of a node keeps its own: the node's op within has the name behind it. */
const OP_MODULE = /^(?!autograd::engine::)(?:[A-Za-z_]\w*::)+/;

/** The name of an op as the framework calls it: `aten::copy_` of `aten::copy_, seq = 5, op_id = 7`. */
export const opTitle = (text: string): string => text.replace(CALL_DETAILS, '');

/** As kernels have it: of a layer as in `layer`, of an op as in `op`, without what differs from call to call. */
export function hostRangeName({ kind, domain, text }: Pick<RangeRecord, 'kind' | 'domain' | 'text'>): string {
  if (kind === 'layer') return text.replace(LAYER_PREFIX, '');
  const name = kind === 'op' ? opTitle(text).replace(OP_MODULE, '') : text;
  return domain === null ? name : `${domain}:${name}`;
}

/** A thread of the host: processes of several profiles may have the same numbers. */
export const threadKey = ({ profile, pid, tid }: Pick<RangeRecord, 'profile' | 'pid' | 'tid'>): string =>
  `${profile}/${pid ?? ''}/${tid ?? ''}`;

/** The op that a text of PyProf's describes; null for its other texts, which are no work. */
export function describedOp(marker: RangeRecord): RangeRecord | null {
  const { call } = readMarkerText(marker.text);
  return call === null || isLookup(call) ? null : { ...marker, kind: 'op', text: call.op };
}

/** A range as one of some kinds, null for one of another; ops are those too that PyProf describes. */
export function rangeAmong(kinds: ReadonlySet<RangeKind>, record: RangeRecord): RangeRecord | null {
  const { kind = 'annotation' } = record;
  if (kinds.has(kind)) return record;
  return kind === 'marker' && kinds.has('op') ? describedOp(record) : null;
}

/** Prefixes that readers remove from layer and range texts: the one of layers, and the autograd engine's for its nodes. */
const TEXT_PREFIX = /^(?:layer:|nn\.Module: |autograd::engine::evaluate_function: )/;

/** The text of a range as kernels have it in their contexts. */
export const contextText = ({ domain, text }: Pick<RangeRecord, 'domain' | 'text'>): string =>
  domain === null ? text.replace(TEXT_PREFIX, '') : `${domain}:${text}`;

/** What a text of a context is counted under: calls of one op are one annotation. So are names of steps but for their numbers. */
export const annotationOf = (text: string): string =>
  text.replace(readStepName(text) === null ? CALL_DETAILS : /\d+/g, '');

/** What a range of the host is counted under. */
export const annotationName = (range: Pick<RangeRecord, 'domain' | 'text'>): string => annotationOf(contextText(range));

/** A range among those of its name on its thread. */
export interface NamedPass {
  /** ns in which no earlier one was open. */
  readonly added: number;
  /** Whether an earlier one was open all the time. */
  readonly isWithin: boolean;
  /**
   * Whether it is an op within one of its name, and so the same call: autograd records some ops twice, and functions of
   * Python call others of their name.
   */
  readonly isAgain: boolean;
}

export class NamedTimes {
  /** End of the latest range by thread and name, ns. */
  readonly #ends = new Map<string, number>();

  /** To be called in order of start, the longer first. @param name of the range, or a number of what is summed */
  take(record: RangeRecord, name: string | number): NamedPass {
    const { kind, start, dur } = record;
    const key = `${threadKey(record)}/${name}`;
    const before = this.#ends.get(key) ?? -Infinity;
    const end = start + dur;
    const isWithin = start < before && end <= before;
    if (end > before) this.#ends.set(key, end);
    const added = end <= before ? 0 : end - Math.max(start, before);
    return { added, isWithin, isAgain: isWithin && kind === 'op' };
  }
}
