/**
 * Strings of raw data, and names for its numbers: element types and memory formats of tensors, types of tasks. Source:
 * enumerations of Ascend/msprof (analysis/common_func/ms_constant/ge_enum_constant.py, msmodel/sqe_type_map.py).
 */
import { ByteTexts } from '../../../json/json-bytes.js';

const listed = (text: string, from = 0): [number, string][] => text.split(' ').map((name, i) => [from + i, name]);

const ELEMENT_TYPES: ReadonlyMap<number, string> = new Map([
  ...listed('FLOAT FLOAT16 INT8 INT32 UINT8'),
  ...listed('INT16 UINT16 UINT32 INT64 UINT64 DOUBLE BOOL STRING DUAL_SUB_INT8 DUAL_SUB_UINT8 COMPLEX64 COMPLEX128', 6),
  ...listed('QINT8 QINT16 QINT32 QUINT8 QUINT16 RESOURCE STRING_REF DUAL DT_VARIANT DT_BF16 DT_UNDEFINED DT_INT4', 18),
  ...listed('DT_UINT1 DT_INT2 DT_UINT2 DT_COMPLEX32 DT_HIFLOAT8 DT_FLOAT8_E5M2 DT_FLOAT8_E4M3FN DT_FLOAT8_E8M0', 30),
  ...listed('DT_FLOAT6_E3M2 DT_FLOAT6_E2M3 DT_FLOAT4_E2M1 DT_FLOAT4_E1M2', 38),
]);

const FORMATS: ReadonlyMap<number, string> = new Map([
  ...listed('NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0'),
  ...listed('NC1HWC0_C04 FRACTAL_Z_C04 CHWN', 12),
  ...listed('HWCN NC1KHKWHWC0 BN_WEIGHT FILTER_HWCK', 16),
  ...listed('C1HWNCoC0 MD NDHWC FRACTAL_ZZ FRACTAL_NZ NCDHW DHWCN NDC1HWC0 FRACTAL_Z_3D CN NC DHWNC', 25),
  ...listed('FRACTAL_Z_3D_TRANSPOSE FRACTAL_ZN_LSTM FRACTAL_Z_G', 37),
  ...listed('ND_RNN_BIAS FRACTAL_ZN_RNN NYUV NYUV_A NCL FRACTAL_Z_WINO C1HWC0', 43),
  ...listed('FRACTAL_NZ_C0_16 FRACTAL_NZ_C0_32 FRACTAL_NZ_C0_2 FRACTAL_NZ_C0_4 FRACTAL_NZ_C0_8', 50),
]);

/** Core on which a kernel runs, by the type of its node. */
const CORES = 'AI_CORE AI_CPU AI_VECTOR_CORE WRITE_BACK MIX_AIC MIX_AIV FFTS_PLUS DSA_SQE DVPP HCCL'.split(' ');

const QUEUED =
  'AI_CORE AI_CPU AIV_SQE PLACE_HOLDER_SQE EVENT_RECORD_SQE EVENT_WAIT_SQE NOTIFY_RECORD_SQE NOTIFY_WAIT_SQE WRITE_VALUE_SQE';
const TASKS: ReadonlyMap<number, string> = new Map([
  ...listed(QUEUED),
  ...listed('VQ6_SQE TOF_SQE SDMA_SQE VPC_SQE JPEGE_SQE JPEGD_SQE DSA_SQE ROCCE_SQE PCIE_DMA_SQE HOST_CPU_SQE', 9),
  ...listed('CDQM_SQE C_CORE_SQE', 19),
]);
const OLD_TASKS: ReadonlyMap<number, string> = new Map([...listed(QUEUED), [9, 'SDMA_SQE']]);
const SHORT_TASKS: ReadonlyMap<number, string> = new Map(
  listed('AI_CORE AIV_SQE FUSION PLACE_HOLDER_SQE AICPU_H AICPU_D NOTIFY_RECORD_SQE NOTIFY_WAIT_SQE'),
);
const SUBTASKS: ReadonlyMap<number, string> = new Map([
  ...[[0, 'AIC'] as const, [1, 'AIV'] as const, [3, 'Notify Wait'] as const, [4, 'Notify Record'] as const],
  ...[[5, 'Write Value'] as const, [6, 'MIX_AIC'] as const, [7, 'MIX_AIV'] as const, [8, 'SDMA'] as const],
  ...[[12, 'AI_CPU'] as const, [15, 'DSA'] as const],
]);

/** The codes of element types in messages are in `device-kinds.ts`. */
const named =
  (names: ReadonlyMap<number, string>) =>
  (code: number): string =>
    names.get(code) ?? `${code}`;

export const elementTypeName = named(ELEMENT_TYPES);
export const formatName = named(FORMATS);
export const coreName = (code: number): string => CORES[code] ?? `${code}`;
export const TASK_NAMES = {
  log: named(TASKS),
  shortLog: named(SHORT_TASKS),
  oldLog: named(OLD_TASKS),
  subtask: named(SUBTASKS),
} as const;

/** Stores strings of raw data like those of traces, which are the bytes between JSON quotes. */
export class RawTexts {
  readonly bytes = new ByteTexts();
  readonly #numbers = new Map<string, number>();

  /** The number of a string; most strings are already known. */
  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.bytes.numberOfText(text);
      this.#numbers.set(text, number);
    }
    return number;
  }
}
