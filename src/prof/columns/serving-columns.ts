/** The columns on steps of servers of language models: vLLM, SGLang, ATOM. */
import { column, int, str } from '../../table/column-kinds.js';
import { modelPartOf } from '../steps/serving/model-part.js';
import type { KernelColumn } from './kernel-column.js';

export const SERVING_COLUMNS: readonly KernelColumn[] = [
  column(
    'phase',
    'Phase',
    str(7),
    "server's step: prefill (requests read their context), decode (all generate) or mixed",
    ({ serving }) => serving?.phase ?? null,
  ),
  column('batch', 'Batch', int(5), "requests in the server's step", ({ serving }) => serving?.batch ?? null),
  column(
    'ctxtokens',
    'CtxTokens',
    int(7),
    "tokens of contexts that the server's step reads",
    ({ serving }) => serving?.context.tokens ?? null,
    { narrowHeader: 'CtxTok' },
  ),
  column(
    'gentokens',
    'GenTokens',
    int(7),
    "tokens of the generating requests in the server's step",
    ({ serving }) => serving?.generation.tokens ?? null,
    { narrowHeader: 'GenTok' },
  ),
  column(
    'part',
    'Part',
    str(10),
    "part of the model, in a server's step: attention, projection, experts, sampling, communication, other",
    ({ serving, record }) => (serving === null ? null : modelPartOf(record)),
  ),
];
