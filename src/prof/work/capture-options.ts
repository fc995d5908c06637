/** How to have a profiler record more, by the format of its profiles. */

const SHAPES: Readonly<Record<string, string | undefined>> = {
  nsight: 'nsys profile --pytorch=autograd-shapes-nvtx, or emit_nvtx(record_shapes=True)',
  nvprof: 'emit_nvtx(record_shapes=True), or markers of PyProf',
};

/** What records the arguments of ops. */
export const shapesOption = (format: string): string => SHAPES[format] ?? 'record_shapes=True';
