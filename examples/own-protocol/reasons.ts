/** Reasons why undetected mutants are equivalent, by their names in the report. */
export const reasons = {
  'ring: reorder choices candidate: probe #2, before #1': 'no number is greater than the own and the own',
};
