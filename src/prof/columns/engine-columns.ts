/** The columns on engines of a device: which one ran the kernel, how long it waited, what it counted. */
import type { KernelColumn } from './kernel-column.js';

const counter =
  (name: string): KernelColumn['value'] =>
  ({ record }) =>
    record.counters?.[name] ?? null;

export const ENGINE_COLUMNS: readonly KernelColumn[] = [
  {
    key: 'engine',
    header: 'Engine',
    type: 'str',
    width: 6,
    doc: 'part of the device that ran it: Tensor, Scalar, GpSimd, Vector, Sync; AI_CORE, AI_VECTOR_CORE, MIX_AIC …',
    value: ({ record }) => record.engine ?? null,
  },
  {
    key: 'wait',
    header: 'Wait(ns)',
    unit: 'ns',
    type: 'int',
    width: 8,
    doc: 'how long its engine waited for others before it',
    value: counter('waitNs'),
  },
  {
    key: 'pc',
    header: 'PC',
    type: 'int',
    width: 6,
    doc: "position in its engine's program",
    value: counter('pc'),
  },
  {
    key: 'operands',
    header: 'Operands',
    type: 'str',
    width: 0,
    doc: 'operands of the instruction, as the tool writes them',
    value: ({ record }) => record.operands ?? null,
  },
  {
    key: 'counters',
    header: 'Counters',
    type: 'str',
    width: 0,
    doc: 'all that the device or its tool counted, as name=value',
    value: ({ record }) =>
      record.counters === undefined ? null : Object.entries(record.counters).map(([name, value]) => `${name}=${value}`),
  },
];
