/** Names of the host's ranges: records have their texts as the profile has them. */
import { isLookup, readMarkerText } from '../../../record/python/marker-text.js';
import type { RangeKind, RangeRecord } from '../../../record/record.js';

/** Prefixes that readers remove from the texts of layers. */
const LAYER_PREFIX = /^(?:layer:|nn\.Module: )/;
/** What PyTorch adds to the names of ops in NVTX ranges: calls of one op have one name. */
export const CALL_DETAILS = /, (?:seq|op_id|sizes|input_op_ids) = .*$/s;

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
