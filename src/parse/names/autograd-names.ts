/**
 * The names that PyTorch's autograd engine gives its work.
 */

/** What the engine writes around a node: `autograd::engine::evaluate_function: AddmmBackward0`. */
export const WRAPPER = 'autograd::engine::evaluate_function: ';

/** Names of nodes: `MulBackward0`, `torch::autograd::CopyBackwards`, `torch::autograd::CppNode<…>` … */
const NODE = /(?:Backward\d*|Backwards|AccumulateGrad|GraphRoot|CppNode<.*>)$/;

export const isNode = (name: string): boolean => NODE.test(name);
