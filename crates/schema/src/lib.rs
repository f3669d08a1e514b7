//! Structural OpenAPI schemas.
