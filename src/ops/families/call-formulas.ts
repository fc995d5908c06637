/** Formulas of calls, of Python functions as of the dispatcher. */
import { entryOf, type ByName } from '../by-name.js';
import type { Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, OpCost, Param } from '../family.js';
import { inputTensor } from '../operands.js';
import { tensorParams, workOf } from '../work.js';

/** From a call and one of its kernels to the cost of what the kernel does; null when the call's arguments do not fit. */
export type CallFormula = (call: OpCall, kernel: KernelFacts) => OpCost | null;

type InputFormula = (
  input: Tensor,
  call: OpCall,
  kernel: KernelFacts,
) => (Omit<OpCost, 'params'> & { readonly params?: readonly Param[] }) | null;

/** A formula for calls with an input (see `inputTensor`), which their params show by default. */
export const withInput =
  (formula: InputFormula): CallFormula =>
  (call, kernel) => {
    const input = inputTensor(call);
    const cost = input === null ? null : formula(input, call, kernel);
    return input === null || cost === null ? null : { params: tensorParams(input), ...cost };
  };

/** `Family.work` of a family with a formula for each op. */
export const workByFormulas =
  (formulas: ByName<CallFormula>, source: string): Family['work'] =>
  (call, kernel) => {
    const cost = entryOf(formulas, call)?.(call, kernel) ?? null;
    return cost === null ? null : workOf({ source, ...cost });
  };
