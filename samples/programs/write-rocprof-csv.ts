/** Kernel traces of rocprofv3 as CSV, in the layout of 2025: strings are quoted, numbers are not. Times are ns since the machine started. */

const COLUMNS = [
  'Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name Correlation_Id Start_Timestamp End_Timestamp',
  'LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count',
  'Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z Grid_Size_X Grid_Size_Y Grid_Size_Z',
].flatMap((names) => names.split(' '));

export type RocprofRow = Readonly<Record<string, string | number | bigint>>;

const cell = (value: string | number | bigint): string =>
  typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value);

/** The file of some kernels; cells that a row does not give are 0, sizes 1. */
export function rocprofCsv(rows: readonly RocprofRow[], columns: readonly string[] = COLUMNS): Buffer {
  const line = (row: RocprofRow): string =>
    columns.map((name) => cell(row[name] ?? (name.includes('_Size_') ? 1 : 0))).join(',');
  return Buffer.from([columns.map(cell).join(','), ...rows.map(line), ''].join('\n'));
}

/** Three steps of a multiplication on one stream, with copies of its result by a kernel on another, which overlap the next. */
export function matmulRocprof(): Buffer {
  const zero = 9_100_000_000_000_000n; // A machine that has run for 105 days: above 2^53.
  const gemm = 'Cijk_Ailk_Bljk_SB_MT128x128x16_MI16x16x4x1_SN_1LDSB0_ISA942_WG32_8_1';
  const copy = 'void copy_kernel<float, 4>(float*, float const*, unsigned long)';
  const rows = [0, 1, 2].flatMap((step): RocprofRow[] => {
    const start = zero + BigInt(step * 50_000);
    const of = { Kind: 'KERNEL_DISPATCH', Agent_Id: 'Agent 4', Thread_Id: 7000 };
    const [first, second] = [2 * step + 1, 2 * step + 2];
    return [
      {
        ...{
          ...of,
          Queue_Id: 1,
          Stream_Id: 1,
          Dispatch_Id: first,
          Kernel_Id: 10,
          Kernel_Name: gemm,
          Correlation_Id: first,
        },
        ...{ Start_Timestamp: start, End_Timestamp: start + 42_000n, LDS_Block_Size: 32_768 },
        ...{ VGPR_Count: 124, Accum_VGPR_Count: 128, SGPR_Count: 96, Workgroup_Size_X: 256 },
        ...{ Grid_Size_X: 2048, Grid_Size_Y: 8 },
      },
      {
        ...{
          ...of,
          Queue_Id: 2,
          Stream_Id: 2,
          Dispatch_Id: second,
          Kernel_Id: 11,
          Kernel_Name: copy,
          Correlation_Id: second,
        },
        ...{ Start_Timestamp: start + 44_000n, End_Timestamp: start + 53_000n },
        ...{
          VGPR_Count: 16,
          SGPR_Count: 32,
          Workgroup_Size_X: 64,
          Workgroup_Size_Y: 4,
          Grid_Size_X: 1000,
          Grid_Size_Y: 8,
        },
      },
    ];
  });
  return rocprofCsv(rows);
}
