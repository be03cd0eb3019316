/** The results that the service can have. */
export default { services: { charge: { done: [{ receipt: 'r1' }], fails: [new Error('declined')] } } };
