/** What Ascend devices are made of: words that their profiles and our reports share. */

/** Classes of cores that kernels run on: matrix units, vector units, both of them, the host-side processors, dividers. */
export const CORE_CLASSES = ['AI_CORE', 'AI_VECTOR_CORE', 'MIX_AIC', 'MIX_AIV', 'AI_CPU', 'DSA_SQE'] as const;

const CLASSES: ReadonlySet<string> = new Set(CORE_CLASSES);

/** Whether an activity is said to have run on a core of such a class; a kernel of level 0 tells no class. */
export const isOnCoreClass = ({ engine }: { readonly engine?: string }): boolean =>
  engine !== undefined && CLASSES.has(engine);

/** Whether kernels of a core class use matrix units. */
export const isCubeClass = (core: string | null | undefined): boolean => core === 'AI_CORE' || core === 'MIX_AIC';
