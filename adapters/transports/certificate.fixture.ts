/**
 * A certificate for tests on this machine, signed by itself, and its key, which is not a secret:
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost \
 *   -addext "subjectAltName=DNS:localhost,IP:127.0.0.1"`
 */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGUQZOqIBXJY055l5
JIuewn90pOWZtDxNpdD4o63hsV2hRANCAATYFWHAWRmG5ChtgHH6APuTuhr9egIj
fEyI1TJE62FVBYzGna5GbB41s0mriGtO7pqbhy9bqDrypcMVqLtzEuF4
-----END PRIVATE KEY-----`;

export const cert = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUduYFS2Ksnb5QQvE0mGzgQe0WmWcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAzMTA0OFoYDzIxMjYxMDI5
MDMxMDQ4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATYFWHAWRmG5ChtgHH6APuTuhr9egIjfEyI1TJE62FVBYzGna5GbB41
s0mriGtO7pqbhy9bqDrypcMVqLtzEuF4o28wbTAdBgNVHQ4EFgQUNb851YJKaA4h
ZogIiuoiI2Mr+q0wHwYDVR0jBBgwFoAUNb851YJKaA4hZogIiuoiI2Mr+q0wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgRX9wVQKv1GEVlpo+TnugG53XIRMMqtOZvXytOolD3rACIDXc
R6kt95ouztMPWnoFLLbpyObBeSTOwDq6isVAklti
-----END CERTIFICATE-----`;
