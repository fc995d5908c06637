/** The columns on engines of a device: which one ran the kernel, how long it waited, what it counted. */
import { column, int, str } from '../../table/column-kinds.js';
import type { KernelColumn } from './kernel-column.js';

const counter =
  (name: string): KernelColumn['value'] =>
  ({ record }) =>
    record.counters?.[name] ?? null;

export const ENGINE_COLUMNS: readonly KernelColumn[] = [
  column(
    'engine',
    'Engine',
    str(6),
    'part of the device that ran it: Tensor, Scalar, GpSimd, Vector, Sync; AI_CORE, AI_VECTOR_CORE, MIX_AIC …',
    ({ record }) => record.engine ?? null,
  ),
  column(
    'optype',
    'OpType',
    str(12),
    "type of the kernel's operator as the vendor names it: MatMulV2, TransData …",
    ({ record }) => record.labels?.['opType'] ?? null,
  ),
  column(
    'wait',
    'Wait(ns)',
    int(8, 'ns'),
    'how long its engine waited for others; on Ascend time since the kernel or collective before it ended',
    counter('waitNs'),
  ),
  column('pc', 'PC', int(6), "position in its engine's program", counter('pc')),
  column(
    'operands',
    'Operands',
    str(0),
    'operands of the instruction, as the tool writes them',
    ({ record }) => record.operands ?? null,
  ),
  column(
    'counters',
    'Counters',
    str(0),
    'all that the device or its tool counted, as name=value; one of them: counter:NAME',
    ({ record }) =>
      record.counters === undefined ? null : Object.entries(record.counters).map(([name, value]) => `${name}=${value}`),
    { list: 'str' },
  ),
];
