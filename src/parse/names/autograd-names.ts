/**
 * Names of PyTorch's autograd engine.
 */

/** Prefix of the engine's range around a node: `autograd::engine::evaluate_function: AddmmBackward0`. */
export const ENGINE_PREFIX = 'autograd::engine::evaluate_function: ';

/** Names of nodes: `MulBackward0`, `torch::autograd::CopyBackwards`, `torch::autograd::CppNode<…>` … */
const NODE = /(?:Backward\d*|Backwards|AccumulateGrad|GraphRoot|CppNode<.*>)$/;

/** Whether a name is that of an autograd node. */
export const isNode = (name: string): boolean => NODE.test(name);
