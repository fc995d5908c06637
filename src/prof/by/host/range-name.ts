/** Names of host ranges; records have the strings of the profile. */
import { isLookup, readMarkerText } from '../../../record/python/marker-text.js';
import type { RangeKind, RangeRecord } from '../../../record/record.js';
import { readStepName, withoutRequests } from '../../../record/serving-step.js';

/** Prefixes that readers remove from the strings of layers. */
const LAYER_PREFIX = /^(?:layer:|nn\.Module: )/;
/** What PyTorch appends to the names of ops in NVTX ranges; all calls of an op have the same name without it. */
const CALL_DETAILS = /, (?:seq|op_id|sizes|input_op_ids) = .*$/s;

/**
 * Namespaces of ops and nodes. The engine's wrapper of a node keeps its namespace, because the node's op within it has the
 * name without it.
 */
const OP_MODULE = /^(?!autograd::engine::)(?:[A-Za-z_]\w*::)+/;

/** The name of an op as the framework calls it: `aten::copy_` of `aten::copy_, seq = 5, op_id = 7`. */
export const opTitle = (text: string): string => text.replace(CALL_DETAILS, '');

/**
 * The name as in the kernel columns: of a layer as in `layer`, of an op as in `op`, without the details of a single call.
 */
export function hostRangeName({ kind, domain, text }: Pick<RangeRecord, 'kind' | 'domain' | 'text'>): string {
  if (kind === 'layer') return text.replace(LAYER_PREFIX, '');
  const name = kind === 'op' ? opTitle(text).replace(OP_MODULE, '') : text;
  return domain === null ? name : `${domain}:${name}`;
}

/** A host thread; processes of several profiles may have the same numbers. */
export const threadKey = ({ profile, pid, tid }: Pick<RangeRecord, 'profile' | 'pid' | 'tid'>): string =>
  `${profile}/${pid ?? ''}/${tid ?? ''}`;

/** The op that a PyProf text describes; null for its other strings, which are not ops. */
export function describedOp(marker: RangeRecord): RangeRecord | null {
  const { call } = readMarkerText(marker.text);
  return call === null || isLookup(call) ? null : { ...marker, kind: 'op', text: call.op };
}

/** The range if it is of one of these kinds, else null; ops that PyProf describes count as ops. */
export function rangeAmong(kinds: ReadonlySet<RangeKind>, record: RangeRecord): RangeRecord | null {
  const { kind = 'annotation' } = record;
  if (kinds.has(kind)) return record;
  return kind === 'marker' && kinds.has('op') ? describedOp(record) : null;
}

/** Prefixes that readers remove from strings: that of layers, and that of the autograd engine for its nodes. */
const TEXT_PREFIX = /^(?:layer:|nn\.Module: |autograd::engine::evaluate_function: )/;

/** The text of a range as it is in the contexts of kernels. */
export const contextText = ({ domain, text }: Pick<RangeRecord, 'domain' | 'text'>): string =>
  domain === null ? text.replace(TEXT_PREFIX, '') : `${domain}:${text}`;

/**
 * The name under which a context text is counted: all calls of an op are one annotation, and so are step names that differ
 * only in their numbers and requests.
 */
export const annotationOf = (text: string): string =>
  readStepName(text) === null ? text.replace(CALL_DETAILS, '') : withoutRequests(text).replace(/\d+/g, '');

/** The name under which a host range is counted. */
export const annotationName = (range: Pick<RangeRecord, 'domain' | 'text'>): string => annotationOf(contextText(range));

/** A range compared with others of the same name on its thread. */
export interface NamedPass {
  /** Time in ns in which the range was open and no earlier range of its name was. */
  readonly added: number;
  /** Whether an earlier range of its name was open for its whole duration. */
  readonly isWithin: boolean;
  /**
   * Whether it is an op within one of the same name, and so the same call: autograd records some ops twice, and Python
   * functions call others of the same name.
   */
  readonly isAgain: boolean;
}

export class NamedTimes {
  /** End of the latest range in ns, by thread and name. */
  readonly #ends = new Map<string, number>();

  /**
   * Must be called in order of start time, the longer range first.
   * @param name the name of the range, or a number that identifies its group
   */
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
