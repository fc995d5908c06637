/**
 * Whether a text begins as a trace of the profiler that PyTorch had before Kineto, whose device events are named by ops
 * and have no kernels. Source: `EventList.export_chrome_trace` of torch/autograd/profiler_util.py.
 */
export const isAutogradTrace = (start: string): boolean => /"pid": ?"(?:CPU|CUDA) functions"/.test(start);
