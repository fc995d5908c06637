/** Names of the host's ranges: records have their texts as the profile has them. */
import { isLookup, readMarkerText } from '../../../record/python/marker-text.js';
import type { RangeRecord } from '../../../record/record.js';

/** Prefixes that readers remove from the texts of layers. */
const LAYER_PREFIX = /^(?:layer:|nn\.Module: )/;
/** What PyTorch adds to the names of ops in NVTX ranges: calls of one op have one name. */
const CALL_DETAILS = /, (?:seq|op_id|sizes|input_op_ids) = .*$/s;

/** The dispatcher's module. The engine's wrapper of a node keeps its own: the node's op within has the name behind it. */
const OP_MODULE = /^(?!autograd::engine::)\w+::/;

/** As kernels have it: of a layer as in `layer`, of an op as in `op`, without what differs from call to call. */
export function hostRangeName({ kind, domain, text }: Pick<RangeRecord, 'kind' | 'domain' | 'text'>): string {
  if (kind === 'layer') return text.replace(LAYER_PREFIX, '');
  const name = kind === 'op' ? text.replace(CALL_DETAILS, '').replace(OP_MODULE, '') : text;
  return domain === null ? name : `${domain}:${name}`;
}

/** The range; one in which PyProf describes a call as the op that it is, and null for its other texts, which are no work. */
export function describedRange(record: RangeRecord): RangeRecord | null {
  if (record.kind !== 'marker') return record;
  const { call } = readMarkerText(record.text);
  return call === null || isLookup(call) ? null : { ...record, kind: 'op', text: call.op };
}
