/** How `dprof` is called, for its help and for messages of what reads its input. */
export const USAGE = 'dprof [OPTION...] [FILE...]';
