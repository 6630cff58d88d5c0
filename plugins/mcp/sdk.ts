/** Types the library of the protocol, which is loaded when it is used first. */

export type Sdk = typeof import('@modelcontextprotocol/server');
